"""The protocol: the official SDK's server over HTTP, one exchange at a time, and over standard input and output.

Imported only where it is installed. Tools run in the thread that Django gave the request, so that its database connection is
used and given back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db import close_old_connections
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as Described
from pydantic.json_schema import GenerateJsonSchema

from evidence.mcp.calls import Answer, Caller, call
from evidence.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS, Tool

NAME: Final = "Fundstelle"
Message = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request over HTTP. headers: those that the protocol knows, names in lower case; none that says who calls."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Answered:
    """What came of it."""

    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Plain(GenerateJsonSchema):
    """Schemas without a title for each field: they say the name again, and assistants read all of it with each conversation."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Never."""
        return False


def described(tool: Tool) -> Described:
    """A tool as it is listed."""
    return Described(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(schema_generator=Plain),
        output_schema=tool.gives.model_json_schema(mode="serialization", schema_generator=Plain),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=False,
            idempotent_hint=not tool.writes,
            open_world_hint=False,
        ),
    )


LISTED: Final = ListToolsResult(tools=[described(tool) for tool in TOOLS])


def server(caller: Caller, ask: Callable[[Tool, Mapping[str, Any], Caller], Answer] = call) -> Server[Any]:
    """A server that acts for this caller. ask: calls a tool."""

    async def listed(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return LISTED

    async def called(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "There is no tool of this name.")
        answer = await sync_to_async(ask)(tool, params.arguments or {}, caller)
        content = [TextContent(text=text) for text in answer.texts]
        return CallToolResult(content=list(content), structured_content=answer.value, is_error=answer.failed)

    return Server(NAME, version=settings.VERSION, instructions=INSTRUCTIONS, on_list_tools=listed, on_call_tool=called)


def exchange(sent: Exchange, caller: Caller) -> Answered:
    """Answer one request over HTTP, by JSON. Nothing is kept between requests, and nobody else's answer can come."""
    return async_to_sync(_exchange)(sent, caller)


async def _exchange(sent: Exchange, caller: Caller) -> Answered:
    manager = StreamableHTTPSessionManager(
        server(caller),
        json_response=True,
        stateless=True,
        max_request_body_size=max(len(sent.body), 1),  # it has been read already, within the limit of all requests
    )
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": sent.method,
        "scheme": "http",
        "path": sent.path,
        "raw_path": sent.path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.headers.items()],
        "server": None,
        "client": None,
    }
    messages = [{"type": "http.request", "body": sent.body, "more_body": False}]
    answered = Answered()

    async def receive() -> Message:
        if not messages:
            await anyio.sleep_forever()
        return messages.pop()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered.status = message["status"]
            answered.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message.get("headers", [])}
        else:
            answered.body += message.get("body", b"")

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return answered


def converse(caller: Caller) -> None:
    """Answer what comes over standard input until it ends."""
    anyio.run(_converse, caller)


async def _converse(caller: Caller) -> None:
    own = server(caller, _asked_by_itself)
    async with stdio_server() as (read, write):
        await own.run(read, write, own.create_initialization_options())


def _asked_by_itself(tool: Tool, arguments: Mapping[str, Any], caller: Caller) -> Answer:
    """With what Django does around a request: no connection to the database stays open while the assistant thinks."""
    close_old_connections()
    try:
        return call(tool, arguments, caller)
    finally:
        close_old_connections()
