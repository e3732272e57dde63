"""Metrics for Prometheus, read from the database when they are asked for: right with any number of processes.

Sources stand under their numbers; no label holds a name. Whoever asks brings the operator's token.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from evidence import monitor, vitals
from evidence.errors import Unavailable
from evidence.identity import Openness
from evidence.monitor import SourceState
from evidence.vitals import Vitals

SCHEME: Final = "Bearer "


@login_not_required
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """`/metrics`: unavailable unless the operator has set a token; then for whoever brings it."""
    if not settings.METRICS_TOKEN:
        raise Unavailable
    if not _may_ask(request):
        return HttpResponse("unauthenticated\n", "text/plain", HTTPStatus.UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
    now = timezone.now()
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Read([*_of_sources(monitor.sources(None, now=now)), *_of_all(vitals.read(now=now), now=now)]))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _may_ask(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "").encode(errors="replace")
    return hmac.compare_digest(given, f"{SCHEME}{settings.METRICS_TOKEN}".encode())


class _Read:
    """What was read, as the library's registry takes it."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = list(metrics)

    def collect(self) -> Iterable[Metric]:
        """All of it."""
        return self._metrics


class _Gauge:
    """A number under some labels."""

    def __init__(self, name: str, told: str, *labels: str) -> None:
        self.family = GaugeMetricFamily(f"fundstelle_{name}", told, labels=labels)

    def add(self, value: float | timedelta | datetime | None, *labels: object) -> None:
        """One value; none at all where it is not known."""
        match value:
            case None:
                return
            case timedelta():
                value = value.total_seconds()
            case datetime():
                value = value.timestamp()
        self.family.add_metric([str(label) for label in labels], value)


def _of_sources(states: Iterable[SourceState]) -> Iterator[Metric]:
    """Every gauge of sources, whether there are any or not."""
    state_of = _Gauge("source_state", "1 for the state that the source is in.", "source", "state")
    documents = _Gauge("source_documents", "Documents by what becomes of them.", "source", "state")
    gauges = {
        "open": _Gauge("source_open", "Whether people who may read find what is in the source.", "source"),
        "age": _Gauge("source_rights_age_seconds", "Time since the rights were confirmed.", "source"),
        "sla": _Gauge("source_revocation_sla_seconds", "How old rights may be before the source closes.", "source"),
        "good": _Gauge("source_last_good_run_timestamp_seconds", "When the last complete run ended.", "source"),
        "next": _Gauge("source_next_run_timestamp_seconds", "When the next run is due.", "source"),
        "failures": _Gauge("source_failed_runs", "Runs in a row that were not complete.", "source"),
        "pending": _Gauge("source_index_pending", "Documents whose last change has not reached the index.", "source"),
        "lag": _Gauge("source_index_lag_seconds", "For how long the first of them has waited.", "source"),
        "dropped": _Gauge("source_dropped_hits", "Hits within a day that the database did not confirm.", "source"),
        "sample": _Gauge("source_sample_faults", "Faults that the last run's sample found.", "source"),
        "given_up": _Gauge("source_jobs_given_up", "Jobs of the source that were tried too often.", "source"),
    }
    for state in states:
        pk = state.source.pk
        for openness in Openness:
            state_of.add(float(openness is state.openness), pk, openness.value)
        for name, count in (("current", state.documents), ("withheld", state.withheld), ("withdrawn", state.withdrawn)):
            documents.add(count, pk, name)
        values = {
            "open": float(state.openness is Openness.OPEN),
            "age": state.rights_age,
            "sla": state.source.revocation_sla,
            "good": state.last_good,
            "next": state.next_try,
            "failures": state.failures,
            "pending": state.pending,
            "lag": state.oldest_pending or 0.0,
            "dropped": state.dropped,
            "sample": state.sample_faults,
            "given_up": state.jobs_given_up,
        }
        for name, value in values.items():
            gauges[name].add(value, pk)
    yield from (gauge.family for gauge in (state_of, documents, *gauges.values()))


def _of_all(found: Vitals, *, now: datetime) -> Iterator[Metric]:
    waiting = _Gauge("jobs_waiting", "Jobs that are due.", "kind")
    oldest = _Gauge("jobs_oldest_seconds", "For how long the first of them has been due.", "kind")
    given_up = _Gauge("jobs_given_up", "Jobs that were tried too often.", "kind")
    for kind, queue in found.queues.items():
        waiting.add(queue.waiting, kind)
        oldest.add(timedelta() if queue.oldest is None else now - queue.oldest, kind)
        given_up.add(queue.given_up, kind)
    receipts = _Gauge("removals", "Removals that are not finished, by how far they are.", "state")
    for state in ("later", "open", "overdue", "unclean"):
        receipts.add(getattr(found.receipts, state), state)
    revocations = _Gauge("revocation_last_seconds", "How long the last withdrawal of rights took.", "source", "drill")
    for (source, drill), took in found.revocations.items():
        revocations.add(took, source, str(drill).lower())
    alarms = _Gauge("alarms", "Alarms that are raised, by their code.", "code")
    for code, count in found.alarms.items():
        alarms.add(count, code)
    seen = _Gauge("worker_seen_timestamp_seconds", "When a worker was last seen.")
    seen.add(found.worker_seen)
    free = _Gauge("disk_free_bytes", "Of the disk that holds the data folder.")
    free.add(found.disk_free)
    total = _Gauge("disk_bytes", "Of the disk that holds the data folder.")
    total.add(found.disk_total)
    build = _Gauge("build_info", "1; the labels say what runs.", "version", "database")
    build.add(1.0, settings.VERSION, connection.vendor)
    yield from (gauge.family for gauge in (waiting, oldest, given_up, receipts, revocations, alarms, seen, free, total, build))
