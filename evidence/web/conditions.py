"""How sources are doing, in words: whether one is open, what needs attention, what a run could not take in, why somebody reads or
does not. Codes become sentences here; the sign beside them is drawn by the style sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from evidence.identity import Live, Openness, Standing
from evidence.models import Run
from evidence.monitor import Concern
from evidence.remains import Place, Unsearched
from evidence.sampling import Fault
from evidence.web.states import Words

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

OPENNESS: Final[Mapping[Openness | Concern, Words]] = {
    Openness.OPEN: Words(pgettext_lazy("source", "Open"), _("Those who may read its documents find and read them."), "good"),
    Openness.NEVER_CONFIRMED: Words(
        _("Closed: rights never confirmed"),
        _("Nobody reads anything of it. It opens after the first complete run."),
        "bad",
    ),
    Concern.CUT_SHORT: Words(
        _("Closed: too many documents were missing"),
        _(
            "Nobody reads anything of it. A run missed more of the known documents than the source allows, so nothing was "
            "withdrawn. It opens after a run that finds them. If they are gone for good: manage.py sync with --allow-removals."
        ),
        "bad",
    ),
    Openness.TOO_OLD: Words(
        _("Closed: rights too old"),
        _("Nobody reads anything of it. It opens by itself after the next complete run."),
        "bad",
    ),
    Openness.AHEAD: Words(
        _("Closed: confirmed in the future"),
        _("Nobody reads anything of it. The clock of this machine was set back, or is wrong. Set it right, then start a run."),
        "bad",
    ),
    Openness.CLOSED: Words(
        _("Closed by an administrator"),
        _("Nobody reads anything of it until an administrator opens it again."),
        "warn",
    ),
    Openness.RESTORED: Words(
        _("Closed: restored from a backup"),
        _(
            "Nobody reads anything of it until an administrator has confirmed it: who may read, and who is in which group, may "
            "have changed since the backup. A complete run alone does not open it."
        ),
        "bad",
    ),
}
PUSHED: Final[Mapping[Openness | Concern, StrPromise]] = {
    Openness.NEVER_CONFIRMED: _(
        "Nobody reads anything of it. It opens when the other system confirms its rights for the first time."
    ),
    Concern.CUT_SHORT: _(
        "Nobody reads anything of it. A list that the other system sent missed more of the known documents than the source "
        "allows, so nothing was withdrawn. It opens when that system confirms its rights the next time."
    ),
    Openness.TOO_OLD: _("Nobody reads anything of it. It opens when the other system confirms its rights the next time."),
    Openness.AHEAD: _(
        "Nobody reads anything of it. The clock of this machine was set back, or is wrong. Set it right, then have the other "
        "system confirm its rights."
    ),
}
"""What is meant where another system pushes: it has no runs."""
CONCERNS: Final[Mapping[Concern, StrPromise]] = {
    Concern.RESTORED: OPENNESS[Openness.RESTORED].label,
    Concern.CUT_SHORT: OPENNESS[Concern.CUT_SHORT].label,
    Concern.NEVER_CONFIRMED: OPENNESS[Openness.NEVER_CONFIRMED].label,
    Concern.TOO_OLD: OPENNESS[Openness.TOO_OLD].label,
    Concern.AHEAD: OPENNESS[Openness.AHEAD].label,
    Concern.CLOSED: OPENNESS[Openness.CLOSED].label,
    Concern.DROPPED: _("The index gave hits that the database did not confirm"),
    Concern.GIVEN_UP: _("Work was given up after too many tries"),
    Concern.EXPIRING: _("Its rights will soon be too old"),
    Concern.SAMPLE: _("A sample of its documents did not agree with what was taken in"),
    Concern.FAILING: _("The last run was not complete"),
    Concern.LAGGING: _("Changes wait for the index"),
    Concern.WITHHELD: _("Documents with unusable rights are withheld from everybody"),
}
OUTCOMES: Final[Mapping[str, Words]] = {
    Run.Outcome.RUNNING: Words(_("running"), _("It goes on."), "quiet"),
    Run.Outcome.COMPLETE: Words(_("complete"), _("Everything was seen, and its rights are confirmed."), "good"),
    Run.Outcome.INCOMPLETE: Words(
        _("incomplete"), _("Not everything was seen: nothing was taken as removed, and nothing confirmed."), "warn"
    ),
    Run.Outcome.FAILED: Words(_("failed"), _("It ended with an error. Nothing was confirmed."), "bad"),
}
STANDING: Final[Mapping[Standing, StrPromise]] = {
    Standing.ACTIVE: _("The account and the membership in this tenant are active."),
    Standing.ACCOUNT_INACTIVE: _("The account is inactive."),
    Standing.MEMBERSHIP_INACTIVE: _("The membership in this tenant is inactive."),
}
LIVE: Final[Mapping[Live, StrPromise]] = {
    Live.NOT_NEEDED: _("The source is not sensitive: its origin is not asked."),
    Live.NOT_ASKED: _("The source is sensitive. Its origin is not asked, for the answer is no without it."),
    Live.YES: _("The origin, asked just now, says yes."),
    Live.NO: _("The origin, asked just now, says no."),
    Live.SILENT: _("The origin, asked just now, did not answer in time."),
}

REMOVED: Final[Mapping[str, StrPromise]] = {
    "documents": _("documents"),
    "revisions": _("versions"),
    "representations": _("texts"),
    "passages": _("passages"),
    "pages": _("pages"),
    "uploads": _("uploads"),
    "citations": _("quotes of citations"),
    "answers": _("checked answers"),
    "concepts": _("concepts"),
    "claims": _("claims"),
    "decisions": _("decisions"),
    "translations": _("translations"),
    "conflicts": _("marked conflicts"),
    "searches": _("search traces"),
    "runs": _("paths in runs"),
    "originals": _("originals"),
    "originals_shared": _("originals that another document has too"),
    "page_images": _("page images"),
}
"""What a receipt counts."""
PLACES: Final[Mapping[str, StrPromise]] = {
    Place.ROWS: _("rows"),
    Place.INDEX_ENTRIES: _("entries of the index"),
    Place.INDEX_WORDS: _("words of the index"),
    Place.INDEX_FILES: _("files of the index"),
    Place.ORIGINALS: _("originals"),
    Place.PAGE_IMAGES: _("page images"),
    Place.ORIGIN_CACHES: _("copies of the origin"),
    Place.DATABASE_FILES: _("files of the database"),
    Place.FILES: _("other files"),
}
"""Where a receipt says that remains were looked for."""
UNSEARCHED: Final[Mapping[Unsearched, StrPromise]] = {
    Unsearched.NOTHING: _("nothing to look for (the document had no long words of its own): %(places)s"),
    Unsearched.OUT_OF_REACH: _("can’t be searched from here: %(places)s"),
    Unsearched.FORGOTTEN: _("not searched: %(places)s"),
}
"""Why it says nothing of some of them."""
FAULTS: Final[Mapping[str, StrPromise]] = {
    Fault.TEXT: _("The text in the database is not the one that was taken in."),
    Fault.ORIGINAL_MISSING: _("The original is missing."),
    Fault.ORIGINAL_DAMAGED: _("The original is damaged."),
    Fault.RIGHTS: _("Its rights in the database are not those that were taken in."),
    Fault.INDEX: _("The index does not agree with the database."),
}
"""What a sample found wrong with a document."""

_DAMAGED: Final = _("The file is damaged or is not what its name says.")
_LOCKED: Final = _("The file is encrypted, or its password is missing or wrong.")
_ENCODING: Final = _("The characters of the text are in another encoding than was said or assumed.")
_LARGE: Final = _("It is larger than what is read.")
_PARTS: Final = _("The file has too many parts, or parts that no program would write.")
_RULES: Final = _("The rules file can’t be used as it is.")
_PATH: Final = _("The path can’t be used: it is too long, unclear or not text.")
_PLACE: Final = _("The location of the source is wrong or incomplete.")
_ACCESS: Final = _("The origin does not let us in: see the credentials.")
_REACH: Final = _("The origin can’t be reached, or does not answer as it should.")
_MUCH: Final = _("The origin holds more than is taken in.")
_PROBLEMS: Final[Sequence[tuple[StrPromise, str]]] = (
    (
        _DAMAGED,
        "pdf_damaged not_a_pdf pdf_empty pdf_no_pages pdf_page_damaged package_damaged package_other_kind xml_damaged "
        "mail_not_one",
    ),
    (_LOCKED, "file_encrypted pdf_password pdf_wrong_password pdf_encryption"),
    (_ENCODING, "encoding_unknown text_not_encoding text_no_mark text_nul text_not_utf8 text_mark_differs"),
    (
        _LARGE,
        "too_many_passages text_too_large package_too_large package_entries pdf_too_many_pages pdf_page_too_full sheet_cells "
        "sheet_characters xml_too_large styles_too_heavy markup_too_deep table_repeats mail_too_many_parts mail_head_too_long "
        "mail_header_too_long file_too_large",
    ),
    (_PARTS, "package_names package_duplicate package_ratio xml_doctype"),
    (
        _RULES,
        "rules_unreadable rules_pattern rules_date rules_encoding rules_too_large rules_too_long rules_duration "
        "rules_placeholder rules_syntax rules_unknown_key rules_denial_unused rules_not_a_file",
    ),
    (_PATH, "path_too_long path_not_text path_unclear"),
    (
        _PLACE,
        "origin_option origin_missing origin_chained origin_password origin_scheme origin_address git_address git_scheme "
        "git_branch_name git_no_branch git_not_a_repository git_moved",
    ),
    (
        _ACCESS,
        "origin_denied origin_credentials origin_plain git_denied git_host_unknown git_certificate git_password_in_the_clear",
    ),
    (_REACH, "origin_unreachable git_unreachable git_slow git_server_error git_protocol"),
    (
        _MUCH,
        "origin_too_large git_repository_too_large git_object_too_large git_too_many_commits git_too_many_files git_too_deep",
    ),
    (
        _("The history of the repository has more states or new names than are followed."),
        "git_states_left_out git_renames_too_many",
    ),
    (
        _("The repository is damaged, empty, or has only a part of its history."),
        "git_damaged git_object_missing git_shallow git_no_commits",
    ),
    (_("There is no file at this path: it is a link, a module or a pointer to a file elsewhere."), "git_lfs git_link git_module"),
    (
        _("Two files or states of the repository have the same name or id."),
        "git_label_twice git_path_twice git_name_twice git_same_id",
    ),
    (_("The file lies in an archive of its store and must be fetched from there first."), "object_archived"),
    (_("The listing of the origin was cut short."), "listing_incomplete"),
    (_("The run was stopped. The next one goes on from there."), "stopped"),
    (_("Rights changed while it ran. Another run follows."), "rights_changed_meanwhile"),
    (_("The file is of an old format that is not read. Save it in the current one."), "file_old_format"),
    (_("Reading the file took too long, too much memory or gave too much."), "parser_time parser_memory parser_output"),
    (_("The program that reads such files failed."), "parser_crashed parser_fault"),
    (_("No process could be started to read the file: this machine has too much to do."), "parser_unavailable"),
    (_("The file can’t be read."), "file_unreadable unreadable link_broken link_not_followed not_a_file"),
    (_("The file changed while it was read."), "file_changed"),
    (_("Another state of the document was refused, and with it the document."), "state_refused"),
    (_("A group that the source is announced to does not exist."), "unknown_group"),
    (_("The rights would let nobody in."), "rights_unusable"),
    (_("People upload documents to a source of this name."), "source_of_uploads"),
    (_("A newer run of the source has taken place."), "import_overtaken"),
    (_("Another run of the source was going on."), "import_running"),
    (_("More documents were missing than the source allows. Nothing was withdrawn or confirmed."), "too_many_missing"),
    (_("The folder does not exist."), "folder_missing"),
    (_("A package or program that this kind of origin takes is not installed."), "origin_package_missing git_no_ssh"),
    (_("The run was killed. It does no harm: the next one goes on from there."), "killed"),
)
PROBLEMS: Final[Mapping[str, StrPromise]] = {code: words for words, codes in _PROBLEMS for code in codes.split()}
"""What was refused or failed, by its code; the same sentence for codes that ask for the same."""

_MINUTE: Final = 60
_HOUR: Final = 3_600
_DAY: Final = 86_400


def lasting(span: timedelta) -> str:
    """A length of time in words, by its two largest units; under ten seconds with a decimal."""
    seconds = span.total_seconds()
    if seconds < 10:
        rounded = round(seconds, 1 if seconds >= 1 else 2)
        rounded = int(rounded) if rounded == int(rounded) else rounded
        return ngettext("%(count)s second", "%(count)s seconds", 1 if rounded == 1 else 2) % {"count": number_format(rounded)}
    whole = int(seconds)
    if whole < _MINUTE:
        return _counted_seconds(whole)
    if whole < _HOUR:
        return _counted_minutes(whole // _MINUTE)
    if whole < 2 * _DAY:
        hours, minutes = whole // _HOUR, whole % _HOUR // _MINUTE
        return f"{_counted_hours(hours)} {_counted_minutes(minutes)}" if minutes else _counted_hours(hours)
    days, hours = whole // _DAY, whole % _DAY // _HOUR
    return f"{_counted_days(days)} {_counted_hours(hours)}" if hours and days < 10 else _counted_days(days)


def _counted_seconds(count: int) -> str:
    return ngettext("%(count)d second", "%(count)d seconds", count) % {"count": count}


def _counted_minutes(count: int) -> str:
    return ngettext("%(count)d minute", "%(count)d minutes", count) % {"count": count}


def _counted_hours(count: int) -> str:
    return ngettext("%(count)d hour", "%(count)d hours", count) % {"count": count}


def _counted_days(count: int) -> str:
    return ngettext("%(count)d day", "%(count)d days", count) % {"count": count}
