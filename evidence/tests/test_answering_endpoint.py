"""The call of a model: what is sent, and what becomes of an endpoint that answers badly, late or not at all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from evidence import checks
from evidence.answering import endpoint
from evidence.answering.endpoint import Unwritten
from evidence.tests.models_server import (
    Behaviour,
    Model,
    dripping,
    late,
    model,
    refusing_format,
    saying,
    sending,
)

KEY = "sk-geheimer-schluessel"
MESSAGES = [{"role": "user", "content": "Wie lang ist die Frist?"}]


@pytest.fixture
def running(settings: Settings) -> Iterator[Model]:
    """A configured model that says "ja"."""
    with model(saying("ja")) as made:
        settings.PRIVATE_HOSTS = ["127.0.0.1"]
        settings.ANSWERING_URL, settings.ANSWERING_MODEL, settings.ANSWERING_KEY = made.url, "probe-7b", KEY
        yield made


def fault(made: Model, behaviour: Behaviour) -> str:
    made.behaviour = behaviour
    with pytest.raises(Unwritten) as raised:
        endpoint.reply(MESSAGES)
    assert KEY not in str(raised.value) and made.url not in str(raised.value)
    return raised.value.code


def test_the_model_is_asked_without_tools_and_without_chance(running: Model) -> None:
    assert endpoint.reply(MESSAGES) == "ja"
    (asked,) = running.requests
    assert (asked.path, asked.head["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert asked.payload == {
        "model": "probe-7b",
        "messages": MESSAGES,
        "temperature": 0,
        "stream": False,
        "response_format": {"type": "json_object"},
    }


def test_without_a_key_none_is_sent(running: Model, settings: Settings) -> None:
    settings.ANSWERING_KEY = ""
    endpoint.reply(MESSAGES)
    assert "authorization" not in running.requests[0].head


def test_where_the_response_format_is_unknown_it_is_left_out(running: Model) -> None:
    running.behaviour = refusing_format(saying("ja"))
    assert endpoint.reply(MESSAGES) == "ja"
    assert ["response_format" in asked.payload for asked in running.requests] == [True, False]


BAD: dict[str, tuple[Behaviour, str]] = {
    "broken": (sending(b"{}", status=500), "answering_status"),
    "bad request, twice": (sending(b"{}", status=400), "answering_status"),
    "no such model": (sending(b"{}", status=404), "answering_status"),
    "wrong key": (sending(b"{}", status=401), "answering_key"),
    "forbidden": (sending(b"{}", status=403), "answering_key"),
    "too many": (sending(b"{}", status=429), "answering_crowded"),
    "no JSON": (sending(b"<html>"), "answering_nonsense"),
    "no text": (sending(b"\xff\xfe"), "answering_nonsense"),
    "empty": (sending(b""), "answering_nonsense"),
    "another JSON": (sending(b'{"choices": []}'), "answering_nonsense"),
    "a list": (sending(b"[1]"), "answering_nonsense"),
    "deep": (sending(b"[" * 100_000), "answering_nonsense"),
    "a tool call": (saying(None, tool_calls=[{"function": {"name": "x"}}]), "answering_nonsense"),
    "parts": (saying([{"type": "text", "text": "ja"}]), "answering_nonsense"),
    "refusal": (saying(None, refusal="I can't."), "answering_refused"),
    "filtered": (saying("", finished="content_filter"), "answering_refused"),
    "cut off": (saying('{"sentences": [', finished="length"), "answering_cut"),
    "too much": (sending(b" " * (endpoint.MAX_REPLY + 1)), "answering_large"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_answer_is_said_by_its_code(case: str, running: Model) -> None:
    behaviour, code = BAD[case]
    assert fault(running, behaviour) == code


def test_nobody_is_followed_elsewhere(running: Model) -> None:
    with model(saying("ja")) as other:
        redirect = sending(b"", status=307, head={"Location": f"{other.url}/chat/completions"})
        assert fault(running, redirect) == "answering_status"
        assert other.requests == []


def test_one_limit_holds_for_all_of_the_time_that_is_waited(running: Model, settings: Settings) -> None:
    settings.ANSWERING_SECONDS = 0.3
    release = threading.Event()
    assert fault(running, late(release, saying("ja"))) == "answering_slow"
    assert fault(running, dripping()) == "answering_slow"
    assert fault(running, refusing_format(dripping())) == "answering_slow"
    release.set()


def test_an_endpoint_that_is_not_there_and_one_of_the_own_network_are_unreachable(running: Model, settings: Settings) -> None:
    settings.ANSWERING_URL = "http://127.0.0.1:1/v1"
    assert fault(running, saying("ja")) == "answering_unreachable"
    settings.ANSWERING_URL, settings.PRIVATE_HOSTS = running.url, []
    assert fault(running, saying("ja")) == "answering_unreachable"
    settings.ANSWERING_URL = "https://127.0.0.1/v1"
    assert fault(running, saying("ja")) == "answering_unreachable"
    assert running.requests == []


def test_logs_hold_no_key_no_question_and_no_answer(running: Model, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.reply(MESSAGES)
    for case in ("broken", "no JSON", "cut off"):
        fault(running, BAD[case][0])
    assert not [word for word in (KEY, "Frist", "ja\n", "sentences") if word in caplog.text]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"ANSWERING_MODEL": ""}, "set together"),
        ({"ANSWERING_URL": ""}, "set together"),
        ({"ANSWERING_URL": "", "ANSWERING_MODEL": ""}, "only with them"),
        ({"ANSWERING_URL": "http://models.example/v1"}, "FUNDSTELLE_ANSWERING_URL: Only https"),
        ({"ANSWERING_URL": "https://models.example:8443/v1"}, "FUNDSTELLE_ANSWERING_URL: Only port 443"),
        ({"ANSWERING_URL": "https://user:pw@models.example/v1"}, "FUNDSTELLE_ANSWERING_URL: An address can't hold a user"),
        ({"ANSWERING_URL": "https://models.example/v1?key=x"}, "without a query"),
        ({"ANSWERING_URL": "models.example"}, "FUNDSTELLE_ANSWERING_URL"),
        ({"ANSWERING_MODEL": "x" * 101}, "FUNDSTELLE_ANSWERING_MODEL"),
        ({"ANSWERING_KEY": "two words"}, "FUNDSTELLE_ANSWERING_KEY"),
        ({"ANSWERING_KEY": "zeile\n"}, "FUNDSTELLE_ANSWERING_KEY"),
        ({"ANSWERING_SECONDS": 301}, "FUNDSTELLE_ANSWERING_SECONDS is at most 300"),
        ({"ANSWERING_PASSAGES": 11}, "FUNDSTELLE_ANSWERING_PASSAGES is at most 10"),
    ],
)
def test_wrong_settings_are_told_at_the_start(
    changed: dict[str, object], complaint: str, running: Model, settings: Settings
) -> None:
    assert checks.answering_can_be_asked(None) == []
    for name, value in changed.items():
        setattr(settings, name, value)
    (told,) = checks.answering_can_be_asked(None)
    assert told.id == "fundstelle.E008" and complaint in told.msg
    assert KEY not in told.msg and "user:pw" not in told.msg


def test_without_settings_there_is_no_model_and_nothing_is_wrong(settings: Settings) -> None:
    assert not endpoint.is_configured()
    assert checks.answering_can_be_asked(None) == []
