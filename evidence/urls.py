"""Addresses."""

from importlib import import_module

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.defaults import server_error
from django.views.generic import TemplateView
from django.views.i18n import set_language

from evidence import synonyms
from evidence.api import addresses
from evidence.index.query import MAX_LENGTH, MAX_WORDS
from evidence.index.questions import MAX_QUESTION, MAX_QUESTION_WORDS
from evidence.index.tokens import MAX_WORD_LENGTH
from evidence.mcp import addresses as mcp_addresses
from evidence.mcp import admission
from evidence.programs import refusals
from evidence.web import (
    account,
    answering,
    answers,
    citations,
    conflicts,
    diagnosis,
    documents,
    errors,
    evaluation,
    health,
    history,
    knowledge,
    metrics,
    pages,
    proposing,
    provider,
    reports,
    search,
    sources,
    succession,
    tokens,
    translations,
    uploads,
)

LIMITS = {
    "most_characters": MAX_LENGTH,
    "most_words": MAX_WORDS,
    "most_letters": MAX_WORD_LENGTH,
    "most_question": MAX_QUESTION,
    "most_question_words": MAX_QUESTION_WORDS,
    "most_groups": synonyms.MAX_GROUPS,
    "most_meanings": synonyms.MAX_MEANINGS,
    "most_expression": synonyms.MAX_WORDS,
    "most_lists": synonyms.MAX_LISTS,
}
API = "api/v1/"


def broken(request: HttpRequest) -> HttpResponse:
    """A fault of ours, told to people as a page and to programs as JSON."""
    return refusals.broken() if request.path_info.startswith(f"/{API}") else server_error(request)


@login_not_required
@csrf_exempt
def pushed(request: HttpRequest, path: str) -> HttpResponse:
    """A call of SCIM. What speaks it takes half a second to import, and few have it called."""
    if not settings.SCIM_TOKEN:
        raise Http404
    answer: HttpResponse = import_module("evidence.api.scim").call(request, path)
    return answer


handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = broken

urlpatterns = [
    path("", search.page, name="search"),
    path("documents/", documents.titles, name="documents"),
    path("documents/<uuid:document>/", documents.reading, name="document"),
    path(
        "documents/<uuid:document>/passages/<uuid:representation>/<int:number>/neighbours/",
        documents.neighbours,
        name="neighbours",
    ),
    path("documents/<uuid:document>/pages/<uuid:representation>/<int:number>/", pages.page, name="page"),
    path("documents/<uuid:document>/pages/<uuid:representation>/<int:number>.png", pages.picture, name="picture"),
    path("documents/<uuid:document>/original/", pages.original, name="original"),
    path("documents/<uuid:document>/cite/", citations.cite, name="cite"),
    path("documents/<uuid:document>/history/", history.states, name="history"),
    path("documents/<uuid:document>/provenance/", history.provenance, name="provenance"),
    path("documents/<uuid:document>/compare/", history.compare, name="compare"),
    path("citations/", citations.own, name="citations"),
    path("citations/recheck/", citations.recheck, name="recheck"),
    path("citations/check/", citations.check, name="check"),
    path("citations/migrate/", succession.migrate, name="migrate"),
    path("citations/export/citations.<slug:kind>", citations.export, name="export"),
    path("citations/<uuid:citation>/", citations.page, name="citation"),
    path("citations/<uuid:citation>/translate/", translations.propose, name="translate"),
    path("conflicts/", conflicts.several, name="conflicts"),
    path("conflicts/mark/", conflicts.mark, name="mark_conflict"),
    path("conflicts/claims/<uuid:one>/<uuid:other>/", conflicts.claims, name="disputed_claims"),
    path("conflicts/<uuid:conflict>/", conflicts.page, name="conflict"),
    path("conflicts/<uuid:conflict>/settle/", conflicts.settle, name="settle_conflict"),
    path("conflicts/<uuid:conflict>/reopen/", conflicts.reopen, name="reopen_conflict"),
    path("answers/", answers.own, name="answers"),
    path("answers/ask/", answering.ask, name="ask_model"),
    path("answers/<uuid:answer>/", answers.page, name="answer"),
    path("answers/<uuid:answer>/check/", answers.recheck, name="recheck_answer"),
    path("answers/<uuid:answer>/delete/", answers.delete, name="delete_answer"),
    path("knowledge/", knowledge.listing, name="knowledge"),
    path("knowledge/review/", proposing.review, name="review"),
    path("knowledge/affected/", proposing.listed, name="affected"),
    path("knowledge/use/", proposing.use, name="use_citation"),
    path("knowledge/proposals/", proposing.own, name="own_proposals"),
    path("knowledge/proposals/<uuid:proposal>/", proposing.proposal, name="proposal"),
    path("knowledge/proposals/<uuid:proposal>/approve/", proposing.approve, name="approve"),
    path("knowledge/proposals/<uuid:proposal>/reject/", proposing.reject, name="reject"),
    path("knowledge/proposals/<uuid:proposal>/withdraw/", proposing.withdraw, name="withdraw_proposal"),
    path("knowledge/entries/<uuid:entry>/", knowledge.entry, name="entry"),
    path("knowledge/entries/<uuid:entry>/history/", knowledge.history, name="entry_history"),
    path("knowledge/entries/<uuid:entry>/change/", proposing.change, name="change_entry"),
    path("knowledge/entries/<uuid:entry>/<slug:action>/", proposing.turn, name="turn_entry"),
    path("knowledge/<slug:space>/", knowledge.space, name="space"),
    path("knowledge/<slug:space>/propose/<slug:kind>/", proposing.new, name="propose"),
    path("knowledge/<slug:space>/decisions/<slug:slug>/", knowledge.decision, name="decision"),
    path("knowledge/<slug:space>/<slug:slug>/", knowledge.concept, name="concept"),
    path("reports/", reports.own, name="reports"),
    path("reports/send/", reports.send, name="send_report"),
    path("reports/<uuid:report>/delete/", reports.delete, name="delete_report"),
    path("reports/work/", reports.to_work_off, name="reports_to_work_off"),
    path("reports/<uuid:report>/close/", reports.close, name="close_report"),
    path("reports/<uuid:report>/reopen/", reports.reopen, name="reopen_report"),
    path("uploads/", uploads.page, name="uploads"),
    path("uploads/published/", uploads.published, name="published"),
    path("uploads/published/<uuid:document>/withdraw/", uploads.withdraw, name="withdraw"),
    path("uploads/<uuid:upload>/", uploads.upload, name="upload"),
    path("uploads/<uuid:upload>/read/", uploads.read, name="read_upload"),
    path("uploads/<uuid:upload>/version/", uploads.choose, name="choose_version"),
    path("uploads/<uuid:upload>/discard/", uploads.discard, name="discard"),
    path("sources/", sources.sources, name="sources"),
    path("sources/why/", sources.why, name="why"),
    path("sources/diagnosis/", diagnosis.page, name="diagnosis"),
    path("sources/<int:source>/", sources.source, name="source"),
    path("sources/<int:source>/close/", sources.close, name="close_source"),
    path("sources/<int:source>/open/", sources.open_again, name="open_source"),
    path("sources/<int:source>/confirm/", sources.confirm, name="confirm_source"),
    path("sources/<int:source>/sync/", sources.sync, name="sync_source"),
    path("sources/<int:source>/drill/", sources.drill, name="drill"),
    path("sources/<int:source>/tokens/", sources.make_token, name="source_tokens"),
    path("sources/<int:source>/tokens/<int:token>/revoke/", sources.revoke_token, name="revoke_source_token"),
    path("evaluation/", evaluation.evaluations, name="evaluations"),
    path("evaluation/<int:run>/", evaluation.evaluation, name="evaluation"),
    path("evaluation/<int:run>/delete/", evaluation.delete, name="delete_evaluation"),
    path("help/", TemplateView.as_view(template_name="help/page.html", extra_context=LIMITS), name="help"),
    path("sign-in/", account.SignIn.as_view(), name="login"),
    path("sign-in/oidc/", provider.begin, name="provider"),
    path("sign-in/oidc/callback/", provider.callback, name="provider_callback"),
    path("sign-in/oidc/signed-out/", provider.signed_out, name="provider_signed_out"),
    path("sign-in/oidc/logout/", provider.report, name="provider_report"),
    path("sign-out/", account.SignOut.as_view(), name="logout"),
    path("password/", account.ChangePassword.as_view(), name="password_change"),
    path("tokens/", tokens.page, name="tokens"),
    path("tokens/<int:token>/revoke/", tokens.revoke, name="revoke_token"),
    path("tenant/", account.choose_tenant, name="tenant"),
    path("language/", login_not_required(set_language), name="set_language"),
    path(API, addresses.urls),
    path("mcp", mcp_addresses.endpoint, name="mcp"),
    path(".well-known/oauth-protected-resource", admission.metadata, name="mcp_metadata"),
    path(".well-known/oauth-protected-resource/mcp", admission.metadata),
    re_path(r"^scim/v2(?P<path>/.*|)$", pushed, name="scim"),
    path("healthz", health.alive, name="health"),
    path("readyz", health.ready, name="ready"),
    path("metrics", metrics.page, name="metrics"),
    path("admin/login/", account.sign_in_for_administration),
    path("admin/", admin.site.urls),
]
