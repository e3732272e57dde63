"""A system that pushes, from its first document to the last: what people find of it at each step."""

from __future__ import annotations

import json
import socket
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
import requests
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from evidence import worker
from evidence.models import Document, Receipt
from evidence.tests.builders import group, person
from evidence.tests.calls import program
from evidence.tests.pushes import BOUNDARY, Pusher, as_text, multipart, pushed_source

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
    assert str(Receipt.objects.get().document) == made.body["id"]
    late = pusher.put(
        "akten/Nr. 1/Bescheid",
        "Die Frist beträgt acht Tage.",
        allowed=["group:netz"],
        rights_as_of=as_text(timezone.now() - timedelta(hours=1)),
    )
    assert (late.status, late.code) == (409, "document_removed")


def test_a_real_client_sends_ids_with_everything_in_them(live_server: LiveServer) -> None:
    group("netz")
    pusher = Pusher(pushed_source())
    client = requests.Session()
    client.headers["Authorization"] = f"Bearer {pusher.secret}"
    place = f"{live_server.url}/api/v1/sources/dms/documents/{quote('Straße/Nr. 5?#%', safe='')}"
    said = {"title": "Bescheid", "allowed": ["group:netz"]}
    for expected in (201, 200):
        files: Any = {"file": ("Größe.txt", b"Die Frist."), "metadata": (None, json.dumps(said), "application/json")}
        answer = client.put(place, files=files, timeout=30)
        assert (answer.status_code, answer.json()["external_id"]) == (expected, "Straße/Nr. 5?#%")
    assert client.put(f"{place}/rights", json={"allowed": ["group:netz"]}, timeout=30).json()["state"] == "unchanged"
    held = client.get(f"{live_server.url}/api/v1/sources/dms/documents", timeout=30).json()["documents"]
    assert [one["external_id"] for one in held] == ["Straße/Nr. 5?#%"]
    assert client.delete(place, timeout=30).status_code == 202


def test_a_client_that_goes_away_within_a_file_leaves_nothing(live_server: LiveServer) -> None:
    pusher = Pusher(pushed_source())
    body = multipart(("file", "a.txt", b"Die Frist betr\xc3\xa4gt acht Tage."))
    head = (
        f"PUT /api/v1/sources/dms/documents/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {pusher.secret}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((live_server.thread.host, live_server.thread.port)) as connection:
        connection.sendall(head.encode() + body[:-60])
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass
    assert not Document.objects.exists()
