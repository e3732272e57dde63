"""What happens to every request and response beside its view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

View = Callable[[HttpRequest], HttpResponseBase]

UNUSED_BROWSER_FEATURES = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


class PrivateResponses:
    """No browser or proxy keeps a page: what it shows depends on the person and may be revoked with the next request.

    A view that says itself how its answer may be kept (an immutable text in the API) is left to it. Static files are
    answered before this and keep their own headers.
    """

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.setdefault("Cache-Control", "private, no-store")
        response["Permissions-Policy"] = UNUSED_BROWSER_FEATURES
        return response


class OriginOfForms:
    """Tells the CSRF check where a form came from when the browser, asked to send no referrer, says `Origin: null`.

    Under `Referrer-Policy: no-referrer` the Fetch standard makes the origin of a form "null", and Django refuses it. The same
    browsers send Sec-Fetch-Site, which no page can set, to https and to localhost. Over plain http, where a browser may send
    neither and Django asks for no origin, the token decides alone, as it does without an Origin header.
    """

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.headers.get("Origin") == "null" and self._is_from_here(request):
            request.META["HTTP_ORIGIN"] = f"{request.scheme}://{request.get_host()}"
        return self.get_response(request)

    @staticmethod
    def _is_from_here(request: HttpRequest) -> bool:
        unknown = "cross-site" if request.is_secure() else "same-origin"
        return request.headers.get("Sec-Fetch-Site", unknown) == "same-origin"


class ProxyAddress:
    """Takes the client's address from the entry that our own proxy added: the last one; earlier ones anybody can write."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if forwarded:
            request.META["REMOTE_ADDR"] = forwarded
        return self.get_response(request)
