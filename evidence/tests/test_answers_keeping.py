"""Kept answers: for one person, with the rights of now, until they expire, are deleted, or a document they quote is removed."""

from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from evidence import citations, removal, retention
from evidence.access import Access
from evidence.answers import keeping
from evidence.answers.checking import check
from evidence.answers.keeping import Kept
from evidence.answers.values import Draft, Pointer, Sentence, Support
from evidence.errors import Refused, Unavailable
from evidence.models import Answer, AuditEvent, Citation, Membership
from evidence.tests.builders import access, document, person, publish, tenant
from evidence.tests.test_removal import files_with, purged
from evidence.tests.test_retention import wiped

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "Zaubernusswurzelextrakt"
TEXT = f"Der {WORD} wird im Keller der Bibliothek getrocknet.\n\nDanach wird er gemahlen und gesiebt."


def named(name: str = "eva") -> Access:
    return access(User.objects.filter(username=name).first() or person(name, ["alle"]))


def draft(quote: str = f"Der {WORD} wird im Keller", name: str = "a") -> Draft:
    """One sentence that quotes a, and one that cites nothing."""
    pointer = Pointer(document=document(name).public_id, exact=quote)
    return Draft([Sentence(f"{quote} getrocknet.", [pointer]), Sentence("Das ist alles.")], "Wohin damit?", "llm-7")


def kept(folder: Path, who: str = "eva") -> UUID:
    publish(folder, {"a.txt": TEXT, "b.txt": "Ein anderer Text über den Fahrplan der Straßenbahn."})
    return keeping.keep(named(who), draft())


def test_a_kept_answer_is_read_as_it_was_given_and_checked_now(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    found = keeping.get(named(), answer)
    assert [one.text for one in found.checked.sentences] == [one.text for one in draft().sentences]
    assert (found.checked.question, found.checked.model) == ("Wohin damit?", "llm-7")
    assert found.checked.states == [Support.SUPPORTED, Support.UNCITED] == found.before
    assert not found.changed and found.origin == Answer.Origin.SUBMITTED


def test_pointers_are_kept_whole(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    row = document("a")
    named_document = row.public_id
    assert row.current is not None
    made = citations.cite_words(named(), named_document, exact="im Keller")
    anchor = citations.get(named(), made).anchor.to_dict()
    pointers = [
        Pointer(citation=made),
        Pointer(anchor=anchor),
        Pointer(document=named_document, representation=row.current.public_id, passage=1, exact="Danach wird er"),
        Pointer(document=named_document, exact="Keller", prefix="im ", suffix=" der"),
    ]
    answer = keeping.keep(named(), Draft([Sentence("Alles.", pointers)]))
    (sentence,) = keeping.get(named(), answer).checked.sentences
    assert [one.pointer for one in sentence.pointers] == pointers
    assert sentence.support is Support.SUPPORTED


def test_nobody_else_reads_checks_or_deletes_it(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    other = named("jona")
    for act in (keeping.get, keeping.recheck, keeping.delete):
        for one in (answer, uuid4()):
            with pytest.raises(Unavailable):
                act(other, one)
    assert keeping.own(other).total == 0
    assert Answer.objects.count() == 1


def test_in_another_tenant_it_is_not_there(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    user = User.objects.get(username="eva")
    Membership.objects.create(user=user, tenant=tenant("auwald"))
    there = access(user, at="auwald")
    with pytest.raises(Unavailable):
        keeping.get(there, answer)
    assert keeping.own(there).total == 0


def test_without_a_tenant_nothing_is_kept(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    with pytest.raises(Unavailable):
        keeping.keep(access(User.objects.create_user("fremd")), draft())


def expire(answer: UUID, at: datetime) -> None:
    Answer.objects.filter(public_id=answer).update(expires_at=at)


def test_an_expired_answer_is_gone_at_once_and_removed_by_retention(tmp_path: Path, settings: Settings) -> None:
    settings.KEEP = dict.fromkeys(settings.KEEP) | {"answers": timedelta(days=30)}
    answer = kept(tmp_path)
    expire(answer, timezone.now())
    with pytest.raises(Unavailable):
        keeping.get(named(), answer)
    assert keeping.own(named()).total == 0
    assert retention.apply() == {"answers": 1}
    assert not Answer.objects.exists()


def test_an_answer_stays_until_its_time_is_over(tmp_path: Path, settings: Settings) -> None:
    settings.KEEP = dict.fromkeys(settings.KEEP) | {"answers": timedelta(days=30)}
    found = keeping.get(named(), kept(tmp_path))
    assert found.expires_at - found.at == timedelta(days=30)
    assert retention.apply(now=timezone.now() + timedelta(days=29)) == {}
    assert retention.apply(now=timezone.now() + timedelta(days=30)) == {"answers": 1}


def test_a_shorter_time_holds_for_answers_that_were_kept_before(tmp_path: Path, settings: Settings) -> None:
    answer = kept(tmp_path)
    Answer.objects.update(at=timezone.now() - timedelta(days=8))
    settings.KEEP = settings.KEEP | {"answers": timedelta(days=7)}
    with pytest.raises(Unavailable):
        keeping.get(named(), answer)


def test_where_nothing_expires_answers_are_kept(tmp_path: Path, settings: Settings) -> None:
    settings.KEEP = settings.KEEP | {"answers": None}
    found = keeping.get(named(), kept(tmp_path))
    assert found.expires_at - found.at > timedelta(days=9_999)
    assert "answers" not in retention.apply(now=timezone.now() + timedelta(days=999))


def test_a_deleted_answer_leaves_no_words_in_files(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path / "in", {"a.txt": TEXT})
    typed = "Quarkkeulchenrezept"
    answer = keeping.keep(named(), Draft([Sentence(f"Ein {typed}.")], question=typed))
    keeping.delete(named(), answer)
    wiped()
    assert files_with(data_folder, typed) == []


def test_it_goes_with_a_document_that_it_quotes_and_leaves_no_trace(tmp_path: Path, data_folder: Path) -> None:
    answer = kept(tmp_path / "in")
    receipt = purged()
    assert (receipt.counts["answers"], receipt.finished_at is not None) == (1, True)
    assert receipt.traces["rows"] == 0
    with pytest.raises(Unavailable):
        keeping.get(named(), answer)
    for file in (tmp_path / "in").glob("*"):
        file.unlink()
    assert files_with(data_folder, WORD) == []


def test_it_goes_with_a_document_in_which_its_words_were_found(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": "Ein anderer Text."})
    keeping.keep(named(), draft(name="b"))
    assert purged().counts["answers"] == 1


def test_it_stays_when_a_document_goes_that_it_has_nothing_to_do_with(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    assert purged("b").counts["answers"] == 0
    assert keeping.get(named(), answer).checked.states == [Support.SUPPORTED, Support.UNCITED]


def test_an_answer_that_is_left_behind_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path)
    monkeypatch.setattr(removal, "_forget_answers", lambda row: 0)
    receipt = purged()
    assert (receipt.traces["rows"], receipt.finished_at) == (1, None)


def test_a_changed_document_changes_the_state_and_the_old_one_is_told(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    publish(tmp_path, {"a.txt": TEXT.replace("im Keller", "auf dem Dach")})
    found = keeping.get(named(), answer)
    assert (found.before[0], found.checked.states[0], found.changed) == (Support.SUPPORTED, Support.ABSENT, True)
    assert keeping.recheck(named(), answer).changed
    found = keeping.get(named(), answer)
    assert (found.before[0], found.changed) == (Support.ABSENT, False)


def test_checking_again_does_not_make_it_last_longer(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    before = keeping.get(named(), answer)
    keeping.recheck(named(), answer)
    after = keeping.get(named(), answer)
    assert after.expires_at == before.expires_at and after.checked_at > before.checked_at


def told(found: Kept) -> list[object]:
    return [(one.text, one.support, list(one.pointers), list(one.words), one.withheld) for one in found.checked.sentences]


def test_a_sentence_that_quotes_what_may_not_be_read_any_more_is_left_out(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    publish(tmp_path, {"a.txt": TEXT}, allowed='["group:netz"]')
    forbidden = told(keeping.get(named(), answer))
    assert forbidden[0] == ("", Support.ABSENT, [], [], True)
    assert forbidden[1] == ("Das ist alles.", Support.UNCITED, [], [], False)
    publish(tmp_path, {"a.txt": TEXT})
    assert keeping.get(named(), answer).checked.sentences[0].text.startswith("Der")
    removal.withdraw(document("a"))
    assert told(keeping.get(named(), answer)) == forbidden


def test_what_one_never_could_read_is_kept_as_one_that_never_was(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT}, allowed='["group:netz"]')
    hidden, never = document("a").public_id, uuid4()
    found = [
        told(keeping.get(named(), keeping.keep(named(), Draft([Sentence("Der Extrakt.", [Pointer(document=one, exact=WORD)])]))))
        for one in (hidden, never)
    ]
    assert str(found[0]).replace(str(hidden), "") == str(found[1]).replace(str(never), "")
    assert purged().counts["answers"] == 0  # else whoever can't read it would see that it went


def test_a_person_keeps_a_bounded_number_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "PER_DAY", 2)
    kept(tmp_path)
    keeping.keep(named(), draft())
    with pytest.raises(Refused) as refused:
        keeping.keep(named(), draft())
    assert refused.value.code == "too_many_answers" and "2" in str(refused.value)
    keeping.keep(named("jona"), draft())
    Answer.objects.update(at=timezone.now() - timedelta(hours=25))
    keeping.keep(named(), draft())


def test_who_has_had_enough_checked_gets_no_more_work_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    kept(tmp_path)
    reader, sent = named(), draft()
    monkeypatch.setattr(keeping, "PER_DAY", 1)
    with django_assert_num_queries(1), pytest.raises(Refused):
        keeping.keep(reader, sent)


def test_one_s_own_are_listed_the_newest_first_without_their_words(tmp_path: Path) -> None:
    first = kept(tmp_path)
    second = keeping.keep(named(), draft(), model="other")
    found = keeping.own(named())
    assert ([one.id for one in found.rows], found.total) == ([second, first], 2)
    assert (found.rows[0].model, found.rows[0].sentences) == ("other", 2)
    assert found.rows[0].tally == {Support.UNCITED: 1, Support.SUPPORTED: 1}
    assert WORD not in str(found.rows)


def test_audit_events_hold_ids_alone(tmp_path: Path) -> None:
    answer = kept(tmp_path)
    keeping.recheck(named(), answer)
    keeping.delete(named(), answer)
    events = AuditEvent.objects.filter(code__startswith="answer.").order_by("id")
    assert [event.code for event in events] == ["answer.kept", "answer.checked", "answer.deleted"]
    assert {str(event.ids) for event in events} == {str({"answer": str(answer)})}


def test_what_was_checked_a_moment_ago_is_not_checked_again(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    checked = check(named(), draft())
    answer = keeping.keep(named(), draft(), checked=checked, origin=Answer.Origin.GENERATED)
    assert keeping.get(named(), answer).origin == Answer.Origin.GENERATED
    assert not Citation.objects.exists()
