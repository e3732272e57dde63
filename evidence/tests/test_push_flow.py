"""A system that pushes, from its first document to the last: what people find of it at each step."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from evidence import worker
from evidence.models import Receipt
from evidence.tests.builders import group, person
from evidence.tests.calls import program
from evidence.tests.pushes import Pusher, as_text, pushed_source

pytestmark = pytest.mark.django_db(transaction=True)  # files are written anew at the end


def test_from_the_first_document_to_its_receipt() -> None:
    for name in ("netz", "leitung"):
        group(name)
    pusher = Pusher(pushed_source())
    eva = program(person("eva", ["netz"]))

    made = pusher.put("akten/Nr. 1/Bescheid", "Die Frist beträgt acht Tage.", allowed=["group:netz"], title="Bescheid")
    assert (made.status, made.body["state"], made.body["readable"]) == (201, "new", True)
    assert eva.get("search", {"q": "Frist"}).body["total"] == 0  # nothing was confirmed yet
    assert pusher.confirm().status == 200
    hits = eva.get("search", {"q": "Frist"}).body["hits"]
    assert [hit["document"]["external_id"] for hit in hits] == ["akten/Nr. 1/Bescheid"]
    cited = eva.post("citations", {"document": hits[0]["document"]["id"], "exact": "acht Tage"})
    assert cited.status == 201

    assert pusher.rights("akten/Nr. 1/Bescheid", allowed=["group:leitung"]).status == 200
    assert eva.get("search", {"q": "Frist"}).body["total"] == 0
    assert eva.get(f"citations/{cited.body['id']}").body == {"state": "unavailable"}
    pusher.rights("akten/Nr. 1/Bescheid", allowed=["group:netz"])
    assert eva.get(f"citations/{cited.body['id']}").body["resolution"]["state"] == "resolved"

    removed = pusher.delete("akten/Nr. 1/Bescheid")
    assert removed.status == 202
    assert eva.get("search", {"q": "Frist"}).body["total"] == 0
    assert eva.get(f"citations/{cited.body['id']}").body == {"state": "unavailable"}
    receipt = removed.body["receipt"]
    assert pusher.get(f"receipts/{receipt}").body["finished_at"] is None

    while worker.run_due():
        pass
    assert pusher.get(f"receipts/{receipt}").body["finished_at"] is not None
    assert pusher.delete("akten/Nr. 1/Bescheid").body["receipt"] == receipt
    assert eva.get(f"citations/{cited.body['id']}").body == {"state": "unavailable"}
    assert Receipt.objects.get().document.hex in made.body["id"].replace("-", "")
    late = pusher.put(
        "akten/Nr. 1/Bescheid",
        "Die Frist beträgt acht Tage.",
        allowed=["group:netz"],
        rights_as_of=as_text(timezone.now() - timedelta(hours=1)),
    )
    assert (late.status, late.code) == (409, "document_removed")
