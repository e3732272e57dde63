"""MCP: what assistants call. Every tool calls what the REST API calls, with the Access of the person whose token was sent.

`tools` and `calls` know nothing of the protocol; `protocol` alone knows the official SDK, which is installed apart
(requirements-mcp.txt) and loaded when the first call comes. No session is kept: each call stands for itself.
"""
