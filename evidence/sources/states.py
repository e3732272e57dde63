"""Several paths, one document: its states in the order of their days, or the reasons why it is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from evidence.errors import Refused, gettext_noop
from evidence.sources import Item, Refusal, Rights, problems


@dataclass(frozen=True, slots=True)
class Arranged:
    """Items grouped by document, the current state of each last; and the documents that were refused, path by path."""

    items: Sequence[Item]
    refusals: Sequence[Refusal]


def arrange(items: Iterable[Item], refused: Iterable[Refusal]) -> Arranged:
    """Put the states of each document in order.

    A document is refused as a whole when one of its paths was refused already, or when the order of its states is not
    certain: each of several states needs a day and a version label of its own. Rights belong to the document, so states
    with different rights mean nobody: what an older state keeps from someone must not be opened by a newer one.
    """
    refusals = list(refused)
    broken = {refusal.external_id: refusal.path for refusal in refusals if refusal.external_id}
    arranged: list[Item] = []
    for external_id, states in sorted(_by_document(items).items()):
        fault = refused_path(broken[external_id]) if external_id in broken else _fault(states)
        if fault is None:
            arranged.extend(_one_right(states))
        else:
            refusals.extend(Refusal(state.path, fault, external_id) for state in states)
    return Arranged(arranged, sorted(refusals, key=lambda refusal: refusal.path))


def _by_document(items: Iterable[Item]) -> dict[str, list[Item]]:
    documents: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        documents[item.external_id].append(item)
    for states in documents.values():
        states.sort(key=lambda item: (item.dated or date.min, item.path))
    return documents


def _fault(states: Sequence[Item]) -> Refused | None:
    """Why the order of these states is not certain."""
    for earlier, later in pairwise(states):
        if earlier.dated is None or earlier.dated == later.dated:
            return _two(
                "duplicate_document",
                gettext_noop(
                    "%(first)s and %(second)s are the same state of the document “%(id)s”. "
                    "Give each of several states a date of its own, or the documents different ids."
                ),
                earlier,
                later,
            )
    labels: dict[str, Item] = {}
    for state in states:
        other = labels.setdefault(state.label, state)
        if other is not state:
            return _two(
                "duplicate_version",
                gettext_noop("%(first)s and %(second)s are both version “%(label)s” of the document “%(id)s”."),
                other,
                state,
            )
    return None


def _two(code: str, template: str, first: Item, second: Item) -> Refused:
    return Refused(code, template, first=first.path, second=second.path, id=second.external_id, label=second.label)


def refused_path(path: str) -> Refused:
    """A state of a document of which another path was refused."""
    message = gettext_noop("Another state of this document was refused: %(path)s")
    return Refused("state_refused", message, path=path)


def _one_right(states: Sequence[Item]) -> Sequence[Item]:
    if len({state.rights for state in states}) == 1:
        return states
    return [replace(state, rights=Rights(problem=problems.DIFFERENT_RIGHTS)) for state in states]
