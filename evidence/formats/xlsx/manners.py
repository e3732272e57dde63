"""Manners: how numbers, dates and the like are written in a language. A workbook only holds the values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_COMMON: Final = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    37: "#,##0;-#,##0",
    38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
_GERMAN_FORMS: Final = {
    **_COMMON,
    **dict.fromkeys((5, 6, 41, 42), '#,##0 "€";-#,##0 "€"'),
    **dict.fromkeys((7, 8, 43, 44), '#,##0.00 "€";-#,##0.00 "€"'),
    14: "dd.mm.yyyy",
    15: "dd. mmm yy",
    16: "dd. mmm",
    17: "mmm yy",
    22: "dd.mm.yyyy hh:mm",
    41: "#,##0;-#,##0;-",
    43: "#,##0.00;-#,##0.00;-",
}
_ENGLISH_FORMS: Final = {
    **_COMMON,
    **dict.fromkeys((5, 6, 42), '"$"#,##0;("$"#,##0)'),
    **dict.fromkeys((7, 8, 44), '"$"#,##0.00;("$"#,##0.00)'),
    14: "m\\/d\\/yyyy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    22: "m\\/d\\/yyyy h:mm",
    41: "#,##0;(#,##0);-",
    43: "#,##0.00;(#,##0.00);-",
}


@dataclass(frozen=True, slots=True)
class Manner:
    """decimal, group: what parts a number. date: what parts a date where a format only says "/". forms: built-in formats."""

    decimal: str
    group: str
    date: str
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]
    truth: tuple[str, str]
    forms: Mapping[int, str]
    errors: Mapping[str, str] = field(default_factory=dict)


GERMAN: Final = Manner(
    decimal=",",
    group=".",
    date=".",
    months=("Januar", "Februar", "März", "April", "Mai", "Juni")
    + ("Juli", "August", "September", "Oktober", "November", "Dezember"),
    short_months=("Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"),
    days=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    short_days=("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
    truth=("FALSCH", "WAHR"),
    forms=_GERMAN_FORMS,
    errors={"#N/A": "#NV", "#REF!": "#BEZUG!", "#VALUE!": "#WERT!", "#NUM!": "#ZAHL!", "#SPILL!": "#ÜBERLAUF!"},
)
ENGLISH: Final = Manner(
    decimal=".",
    group=",",
    date="/",
    months=("January", "February", "March", "April", "May", "June")
    + ("July", "August", "September", "October", "November", "December"),
    short_months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    days=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    short_days=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    truth=("FALSE", "TRUE"),
    forms=_ENGLISH_FORMS,
)
