"""Compounds: what German words are made of."""

from __future__ import annotations

import pytest

from evidence.language import Role, keys


def _has(compound: str, part: str, role: Role | None = None) -> bool:
    roles = {found for key, found in keys(compound).parts.items() if key in keys(part).forms}
    return bool(roles) if role is None else role in roles


@pytest.mark.parametrize(
    ("compound", "modifiers", "head"),
    [
        ("kündigungsschutzklage", "kündigung schutz kündigungsschutz", "klage"),
        ("kinderzahnheilkunde", "kind zahn", "zahnheilkunde"),
        ("wandhalterung", "wand", "halterung"),
        ("mietdauer", "miete", "dauer"),
        ("urlaubstage", "urlaub", "tag"),
        ("jahresurlaub", "jahr", "urlaub"),
        ("eigentümerversammlungen", "eigentümer", "versammlung"),
        ("betriebskostenabrechnung", "betrieb kosten", "abrechnung"),
        ("haftungshöchstbetrag", "haftung", "höchstbetrag"),
        ("beweislastumkehr", "beweis last", "umkehr"),
        ("ausweispflicht", "ausweis", "pflicht"),
        ("umsatzsteuersatz", "umsatz steuer", "steuersatz"),
        ("überstundenaufzeichnungen", "überstunden", "aufzeichnungen"),
        ("gefaehrdungsbeurteilung", "gefährdung", "beurteilung"),
        ("strassenverkehrsordnung", "straße verkehr", "ordnung"),
        ("wohnrecht", "wohnen", "recht"),
        ("dienstverträge", "dienst", "vertrag"),
        ("risikobewertungsberichte", "risiko bewertung", "bericht"),
        ("beschäftigungsfrei", "beschäftigung", "frei"),
    ],
)
def test_compounds_are_made_of_their_parts(compound: str, modifiers: str, head: str) -> None:
    assert _has(compound, head, Role.HEAD)
    assert all(_has(compound, modifier, Role.MODIFIER) for modifier in modifiers.split())


@pytest.mark.parametrize(
    "word",
    [
        *("abteilung", "anteil", "beinhaltung", "betrieb", "verein", "information", "organisation", "material"),
        *("register", "speicher", "steuer", "gemeinschaft", "paragraf", "identisch", "versicherung", "sicherheit"),
        *("gesundheit", "freiheit", "mitglieder", "urlaub", "ausweis", "einsätzen", "universitäten", "passport"),
        *("understanding", "workshop", "postgresql", "zensur", "arbeit", "622", "1.000", "bgb"),
    ],
)
def test_words_that_are_no_compounds_have_no_parts(word: str) -> None:
    assert not keys(word).parts


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("kinderzahnheilkunde", "heil"),
        ("urlaub", "laub"),
        ("beinhaltung", "bein"),
        ("jahresurlaub", "laub"),
        ("staatsangehörige", "tang"),
    ],
)
def test_syllables_are_no_parts(word: str, part: str) -> None:
    assert not _has(word, part, Role.HEAD)


def test_an_s_whose_owner_is_not_clear_is_read_both_ways() -> None:
    assert _has("urlaubstage", "tage")
    assert _has("urlaubstage", "stage")


def test_a_compound_is_no_part_of_itself() -> None:
    assert not _has("kündigungsschutzklagen", "kündigungsschutzklage")


@pytest.mark.parametrize("word", ["a" * 60, "tag" * 20, "rat" * 13, "donaudampfschifffahrtsgesellschaftskapitän"])
def test_long_words_are_read_in_bounded_time(word: str) -> None:
    assert len(keys(word).parts) < 500
