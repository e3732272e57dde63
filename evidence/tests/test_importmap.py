"""The import map names every module of static/js under its address, with the nonce of the page's policy."""

from __future__ import annotations

import json
import re

import pytest
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template
from django.test import Client
from django.urls import path

from evidence import urls


@login_not_required
def page(request: HttpRequest) -> HttpResponse:
    """A page with nothing but the import map."""
    return HttpResponse(Template("{% load fundstelle %}{% importmap %}").render(RequestContext(request)))


urlpatterns = [*urls.urlpatterns, path("page/", page)]
pytestmark = pytest.mark.urls(__name__)


def test_every_module_has_its_address(client: Client) -> None:
    script = re.fullmatch(r'<script type="importmap" nonce="[^"]+">(.*)</script>\s*', client.get("/page/").content.decode(), re.S)
    assert script is not None
    imports = json.loads(script[1])["imports"]
    files = sorted((settings.BASE_DIR / "static" / "js").glob("*.js"))
    assert imports == {f"fundstelle/{file.stem}": f"/static/js/{file.name}" for file in files}


def test_nonce_is_the_one_of_the_policy_and_new_each_time(client: Client) -> None:
    first, second = client.get("/page/"), client.get("/page/")
    nonces = [re.search(r'nonce="([^"]+)"', response.content.decode()) for response in (first, second)]
    assert nonces[0] is not None and nonces[1] is not None
    assert f"'nonce-{nonces[0][1]}'" in first["Content-Security-Policy"]
    assert nonces[0][1] != nonces[1][1]
