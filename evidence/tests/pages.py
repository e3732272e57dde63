"""Reading what the web interface answers."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from selectolax.lexbor import LexborHTMLParser, LexborNode

_TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"|nonce="[^"]+"')


def sign_in(client: Client, user: User) -> None:
    """The client goes on as this person."""
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")


def parsed(response: Any) -> LexborHTMLParser:
    """The answer's document."""
    return LexborHTMLParser(response.content.decode())


def texts(page: LexborHTMLParser, selector: str) -> list[str]:
    """The text of every element that fits, without blanks at its ends."""
    return [node.text().strip() for node in page.css(selector)]


def one(page: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """The first element that fits; there must be one."""
    found = page.css_first(selector)
    assert found is not None, selector
    return found


def value(page: LexborHTMLParser | LexborNode, selector: str, attribute: str) -> str:
    """An attribute of the first element that fits."""
    return one(page, selector).attributes[attribute] or ""


def main(response: Any) -> str:
    """The answer with tokens masked, status and type included: what may be compared to the byte."""
    body = _TOKENS.sub("", response.content.decode())
    return f"{response.status_code} {response.headers['Content-Type']}\n{body}"
