"""Unknown, forbidden, deleted, of another tenant and nonsense: one answer in body, headers and number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from evidence import citations, removal, worker
from evidence.tests.builders import access, document, person, publish, tenant
from evidence.tests.calls import Answer, Program, program

pytestmark = pytest.mark.django_db(transaction=True)

GETS = ["documents/{document}", "documents/{document}?representation={representation}", "documents/{document}/provenance"]
GETS += ["documents/{document}/history", "documents/{document}/original", "citations/{citation}"]
POSTS: dict[str, tuple[str, dict[str, object]]] = {
    "cite a range": ("citations", {"document": "{document}", "representation": "{representation}", "start": 0, "end": 3}),
    "cite words": ("citations", {"document": "{document}", "exact": "Frist"}),
    "resolve": ("resolve", {"document": "{document}", "representation": "{representation}", "exact": "Frist"}),
    "resolve several": ("resolve", {"anchors": [{"document": "{document}", "exact": "Frist"}]}),
}


@pytest.fixture
def named(tmp_path: Path) -> Mapping[str, Mapping[str, str]]:
    """Ids of things that eva may not have, and of one that she may."""
    texts = {"open": '["group:alle"]', "forbidden": '["group:netz"]', "deleted": '["group:alle"]', "purged": '["group:alle"]'}
    for name, allowed in texts.items():
        publish(tmp_path / name, {f"{name}.txt": "Die Frist."}, allowed=allowed, source=name)
    publish(tmp_path / "foreign", {"foreign.txt": "Die Frist."}, source="foreign", of=tenant("anderswo"))
    author = access(person("max", ["alle", "netz"]))
    foreigner = access(person("kim", ["alle"], of=tenant("anderswo")))
    ids = {name: _ids(name, author) for name in texts} | {"foreign": _ids("foreign", foreigner, of=tenant("anderswo"))}
    (tmp_path / "deleted" / "deleted.txt").unlink()
    publish(tmp_path / "deleted", {"other.txt": "Anderes."}, source="deleted", allow_removals=True)
    removal.request_purge(document("purged", source="purged"))
    worker.run_due()
    ids["unknown"] = {name: str(uuid4()) for name in ("document", "representation", "citation")}
    ids["nonsense"] = dict.fromkeys(("document", "representation", "citation"), "nonsense")
    ids["odd"] = dict.fromkeys(("document", "representation", "citation"), "%00{}é")
    return ids


def _ids(name: str, author: object, **where: object) -> dict[str, str]:
    row = document(name, source=name, **where)  # type: ignore[arg-type]
    made = citations.cite_words(author, row.public_id, exact="Frist")  # type: ignore[arg-type]
    assert row.current is not None
    return {"document": str(row.public_id), "representation": str(row.current.public_id), "citation": str(made)}


def test_every_call_gives_one_answer(named: Mapping[str, Mapping[str, str]]) -> None:
    calls = program(person("eva", ["alle"]))
    for path in GETS:
        answers = {name: calls.get(_filled(path, ids)) for name, ids in named.items()}
        _compare(path, answers, status=404)
    for what, (path, body) in POSTS.items():
        answers = {name: calls.post(path, _filled_in(body, ids)) for name, ids in named.items()}
        _compare(what, answers, status=200 if path == "resolve" else 404)


def _compare(what: str, answers: dict[str, Answer], *, status: int) -> None:
    assert answers.pop("open").status in {200, 201}, what
    assert len({repr(answer.whole) for answer in answers.values()}) == 1, (what, {n: a.whole for n, a in answers.items()})
    assert {answer.status for answer in answers.values()} == {status}, what


def test_a_citation_says_its_state_alone(named: Mapping[str, Mapping[str, str]]) -> None:
    calls = program(person("eva", ["alle"]))
    assert calls.get(f"citations/{named['forbidden']['citation']}").body == {"state": "unavailable"}
    assert calls.post("resolve", {"anchors": [{"document": named["forbidden"]["document"]}]}).body == {
        "resolutions": [{"state": "unavailable"}]
    }


def test_a_document_says_its_code_alone(named: Mapping[str, Mapping[str, str]]) -> None:
    answer = program(person("eva", ["alle"])).get(f"documents/{named['deleted']['document']}", accept_language="en")
    assert answer.body == {"code": "unavailable", "message": "This is not available to you."}


def test_an_unknown_state_of_a_readable_document_is_unavailable(named: Mapping[str, Mapping[str, str]]) -> None:
    calls: Program = program(person("eva", ["alle"]))
    states = [named["forbidden"]["representation"], str(uuid4()), "nonsense", ""]
    answers = [calls.get(f"documents/{named['open']['document']}", {"representation": state}) for state in states]
    assert len({repr(answer.whole) for answer in answers}) == 1
    assert answers[0].code == "unavailable"


def _filled(path: str, ids: Mapping[str, str]) -> str:
    return path.format(**{name: value.replace("{}é", "%7B%7D%C3%A9") for name, value in ids.items()})


def _filled_in(body: Mapping[str, object], ids: Mapping[str, str]) -> dict[str, object]:
    return {name: _value(value, ids) for name, value in body.items()}


def _value(value: object, ids: Mapping[str, str]) -> object:
    if isinstance(value, list):
        return [_filled_in(one, ids) for one in value]
    return ids[value[1:-1]] if isinstance(value, str) and value[1:-1] in ids else value
