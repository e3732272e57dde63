"""The OpenAPI document: served to everybody, tells nothing of anybody, and is kept by every answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from evidence import citations
from evidence.answers import keeping
from evidence.answers.values import Draft, Pointer, Sentence
from evidence.knowledge import conflicts
from evidence.knowledge.conflicts import Named
from evidence.models import Document, Role
from evidence.tests import knowing
from evidence.tests.builders import access, document, person, publish
from evidence.tests.calls import API, secret
from evidence.tests.pushes import Pusher, pushed_source
from evidence.wsgi import application

pytestmark = pytest.mark.django_db

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 25
"""Calls of each operation: the whole test takes some ten seconds. `--hypothesis-seed` repeats a failure."""


@pytest.fixture
def row(tmp_path: Path) -> Document:
    publish(tmp_path, {"a.txt": "Die Frist beträgt acht Tage."})
    return document("a")


def test_it_is_for_everybody_and_names_nothing(row: Document) -> None:
    answer = Client().get(f"{API}openapi.json")
    assert answer.status_code == 200
    assert "handbuch" not in answer.content.decode()


def test_it_says_whose_word_a_status_is() -> None:
    described = Client().get(f"{API}openapi.json").json()
    (narrowed,) = [one for one in described["paths"]["/api/v1/search"]["get"]["parameters"] if one["name"] == "status"]
    assert "editorial" in narrowed["description"] and "valid_until" in narrowed["description"]
    assert "as the source states it" in " ".join(described["components"]["schemas"]["Document"]["description"].split())


def test_there_are_no_pages_with_scripts_from_elsewhere() -> None:
    assert [Client().get(f"{API}{path}").status_code for path in ("docs", "redoc", "")] == [404] * 3


def test_every_operation_names_its_scheme_and_its_errors() -> None:
    document = Client().get(f"{API}openapi.json").json()
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert len(operations) == 27
    for one in operations:
        assert one["security"] == [{"Bearer": []}]
        assert {"401", "403", "429"} <= set(one["responses"])


def knowledge(cited: str) -> dict[str, str]:
    """Ids of an entry of each kind: two claims that contradict each other, and a conflict that a person marked."""
    emil, rita = knowing.someone("emil"), knowing.someone("rita", role=Role.REVIEWER)
    knowing.space()
    concept = knowing.concept(emil, rita, citations=[cited])
    matter = {"subject": "Frist", "property": "Dauer"}
    claims = [knowing.claim(emil, rita, [UUID(cited)], value=value, **matter) for value in ("8 Tage", "9 Tage")]
    decision = knowing.decision(emil, rita, citations=[cited])
    sides = Named(citation=UUID(cited)), Named(citation=knowing.cite(emil, "a", "Die Frist"))
    conflict = conflicts.mark(access(emil), *sides, matter="Frist")
    ids = {"concept": concept, "claim": claims[0], "decision": decision, "conflict": conflict}
    return {name: str(one) for name, one in ids.items()}


@pytest.mark.django_db(transaction=True)
def test_answers_keep_what_it_says(row: Document) -> None:
    eva = person("eva", ["alle"])
    made = citations.cite_words(access(eva), row.public_id, exact="acht Tage")
    pusher = Pusher(pushed_source())
    for external_id in ("a", "b"):
        pusher.put(external_id, "Die Frist beträgt acht Tage.")
    known = {"document": str(row.public_id), "citation": str(made), "source": "dms", "external_id": "a"}
    known["receipt"] = pusher.delete("b").body["receipt"]
    known |= knowledge(str(made))
    cited = Sentence("So ist es.", [Pointer(citation=made)])
    known["answer"] = str(keeping.keep(access(eva), Draft([cited])))
    headers = {"Authorization": f"Bearer {secret(eva)}"}
    pushes = {"Authorization": f"Bearer {pusher.secret}"}
    for result in schemathesis.openapi.from_wsgi(f"{API}openapi.json", application).get_all_operations():
        operation = result.ok()  # type: ignore[union-attr]

        @settings(max_examples=EXAMPLES, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def check(case: schemathesis.Case[Any]) -> None:
            metadata = case.body.get("metadata") if isinstance(case.body, dict) else None
            if isinstance(metadata, dict):
                metadata["media_type"] = "text/plain"  # so that some of the files are read
            for sent in ({}, known):
                for name in sent.keys() & case.path_parameters.keys():
                    case.path_parameters[name] = sent[name]
                may = pushes if "pushing" in (case.operation.tags or ()) else headers
                case.validate_response(case.call(headers=may), checks=CHECKS)

        check()
