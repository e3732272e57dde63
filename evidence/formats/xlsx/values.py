"""Values: numbers and dates as a workbook shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import takewhile
from typing import Final

from evidence.formats.xlsx.codes import Section, Token, sections
from evidence.formats.xlsx.manners import Manner

GENERAL: Final = "General"
"""The code of a number without a format."""

_EXACT: Final = Context(prec=700, rounding=ROUND_HALF_UP)
_LONGEST: Final = 11
"""Digits and decimal point of a number without a format."""
_DAY: Final = 86_400
_FIRST: Final = date(1899, 12, 31)
_FIRST_1904: Final = date(1904, 1, 1)
_NO_DAY: Final = 60
"""29 February 1900, which Excel counts though there was none."""
_LAST: Final = 2_958_465


def text(value: str, code: str) -> str:
    """A text in a format: most formats leave it alone, and some of them hide it."""
    parts = sections(code)
    own = parts[-1] if parts[-1].is_text or len(parts) == 4 else None
    if own is None:
        return value
    return "".join(value if token.kind == "text" else token.text if token.kind == "literal" else "" for token in own.tokens)


def number(value: float, code: str, manner: Manner, *, from_1904: bool = False) -> str:
    """A number in a format, empty where the format hides it."""
    if not math.isfinite(value):
        return ""
    if code == GENERAL:
        return general(value, manner)
    parts = [part for part in sections(code) if not part.is_text] or [Section((Token("general", ""),))]
    at = _chosen(parts[:3], value)
    part = parts[at]
    if part.is_date:
        return _moment(part.tokens, value, manner, from_1904=from_1904)
    is_negative_part = at == 1 and part.condition is None
    shown = _number(part.tokens, abs(value), manner)
    return f"-{shown}" if value < 0 and part.tokens and not is_negative_part else shown


def general(value: float, manner: Manner) -> str:
    """A number without a format: eleven characters at most."""
    size = abs(value)
    if size < 10**_LONGEST and value == int(value):
        return str(int(value))
    if size >= 10**_LONGEST or 0 < size < 1e-9:
        mantissa, _, power = f"{value:.5E}".partition("E")
        return f"{mantissa.rstrip('0').rstrip('.').replace('.', manner.decimal)}E{power[0]}{power[1:].zfill(2)}"
    places = max(0, _LONGEST - 1 - len(str(int(size))))
    written = f"{_rounded(_decimal(value), places):f}"
    written = written.rstrip("0").rstrip(".") if "." in written else written
    return ("0" if written == "-0" else written).replace(".", manner.decimal)


def _chosen(parts: Sequence[Section], value: float) -> int:
    """Which part of a code a number is shown in."""
    if any(part.condition for part in parts):
        return next(
            (at for at, part in enumerate(parts) if part.condition is None or _holds(part.condition, value)), len(parts) - 1
        )
    if value < 0 and len(parts) > 1:
        return 1
    return 2 if value == 0 and len(parts) > 2 else 0


def _holds(condition: tuple[str, float], value: float) -> bool:
    sign, limit = condition
    less, equal = value < limit, value == limit
    return {"<": less, "<=": less or equal, "=": equal, "<>": not equal, ">=": not less, ">": not (less or equal)}[sign]


def _decimal(value: float) -> Decimal:
    """The number with the 15 digits that Excel knows."""
    return Decimal(f"{value:.15g}")


def _rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), context=_EXACT)


def _number(tokens: Sequence[Token], value: float, manner: Manner) -> str:
    kinds = [token.kind for token in tokens]
    if "general" in kinds or "digit" not in kinds:
        return "".join(general(value, manner) if token.kind == "general" else _literal(token) for token in tokens)
    if "stroke" in kinds:
        return _fraction(tokens, value, manner)
    scaled = _EXACT.multiply(_decimal(value), Decimal(100) ** kinds.count("percent"))
    if "power" in kinds:
        return _power(tokens, scaled, manner)
    return _digits(tokens, _EXACT.divide(scaled, Decimal(1000) ** _thousands(kinds)), manner)


def _thousands(kinds: Sequence[str]) -> int:
    """How often a number is divided by a thousand: for each comma right before the point, or behind the last place."""
    point = kinds.index("point") if "point" in kinds else len(kinds)
    last = len(kinds) - 1 - kinds[::-1].index("digit")
    ends = {last + 1, *(at + 1 for at in range(point) if kinds[at] == "digit" and "digit" not in kinds[at + 1 : point])}
    return sum(len(list(takewhile(lambda kind: kind == "comma", kinds[end:]))) for end in ends)


def _literal(token: Token) -> str:
    return token.text if token.kind in ("literal", "percent", "stroke") else ""


def _digits(tokens: Sequence[Token], value: Decimal, manner: Manner) -> str:
    """Digits put into their places; what stands between the places stays there."""
    kinds = [token.kind for token in tokens]
    point = kinds.index("point") if "point" in kinds else len(kinds)
    wholes = [at for at in range(point) if kinds[at] == "digit"]
    parts = [at for at in range(point, len(kinds)) if kinds[at] == "digit"]
    rounded = _rounded(value, len(parts))
    whole, _, part = f"{rounded:f}".partition(".")
    placed = _placed(tokens, wholes, whole.lstrip("0"), has_groups=_has_groups(kinds, wholes), group=manner.group)
    placed |= _after_point(tokens, parts, part)
    written = (placed.get(at, manner.decimal if token.kind == "point" else _literal(token)) for at, token in enumerate(tokens))
    return "".join(written)


def _has_groups(kinds: Sequence[str], wholes: Sequence[int]) -> bool:
    return bool(wholes) and "comma" in kinds[wholes[0] : wholes[-1]]


def _placed(tokens: Sequence[Token], places: Sequence[int], digits: str, *, has_groups: bool, group: str) -> dict[int, str]:
    """Digits from the right, one in each place; the first place takes what is left of them."""
    placed: dict[int, str] = {}
    count = 0
    for at in reversed(places):
        is_first = at == places[0]
        taken, digits = (digits, "") if is_first else (digits[-1:], digits[:-1])
        written = ""
        for digit in reversed(taken or _FILLERS[tokens[at].text]):
            written = digit + (group if has_groups and count and count % 3 == 0 and digit != " " else "") + written
            count += 1
        placed[at] = written
    return placed


_FILLERS: Final = {"0": "0", "#": "", "?": " "}


def _after_point(tokens: Sequence[Token], places: Sequence[int], digits: str) -> dict[int, str]:
    """Digits behind the point; those at the end that need not be there are left out."""
    placed: dict[int, str] = {}
    is_end = True
    for at, digit in zip(reversed(places), reversed(digits), strict=True):
        is_end = is_end and digit == "0" and tokens[at].text != "0"
        placed[at] = _FILLERS[tokens[at].text] if is_end else digit
    return placed


def _power(tokens: Sequence[Token], value: Decimal, manner: Manner) -> str:
    at = next(at for at, token in enumerate(tokens) if token.kind == "power")
    mantissa, power = tokens[:at], tokens[at + 1 :]
    kinds = [token.kind for token in mantissa]
    step = max(1, (kinds[: kinds.index("point")] if "point" in kinds else kinds).count("digit"))
    places = kinds.count("digit") - step if "point" in kinds else 0
    exponent = _exponent(value, step)
    if value and _rounded(value.scaleb(-exponent, _EXACT), max(places, 0)) >= Decimal(10) ** step:
        exponent += step
    sign = "-" if exponent < 0 else "+" if tokens[at].text.endswith("+") else ""
    digits = str(abs(exponent)).zfill(sum(token.kind == "digit" for token in power))
    return _digits(mantissa, value.scaleb(-exponent, _EXACT), manner) + f"E{sign}{digits}"


def _exponent(value: Decimal, step: int) -> int:
    return 0 if not value else math.floor(value.adjusted() / step) * step


def _fraction(tokens: Sequence[Token], value: float, manner: Manner) -> str:
    """A whole number and a fraction, or only a fraction where there is one place for digits before it."""
    stroke = next(at for at, token in enumerate(tokens) if token.kind == "stroke")
    below = [token.text for token in tokens[stroke + 1 :] if token.kind in ("digit", "literal") and token.text.strip()]
    fixed = "".join(below)
    exact = Fraction(_decimal(value))
    if fixed.isdecimal() and fixed.strip("0"):
        bottom = int(fixed[:4])
        top = math.floor(exact * bottom + Fraction(1, 2))
    else:
        near = exact.limit_denominator(10 ** min(max(len(below), 1), 4) - 1)
        top, bottom = near.numerator, near.denominator
    groups = "".join("#" if token.kind == "digit" else " " for token in tokens[:stroke]).split()
    whole, top = divmod(top, bottom) if len(groups) > 1 else (0, top)
    written = [str(whole)] if whole or (not top and len(groups) > 1) else []
    return " ".join([*written, f"{top}/{bottom}"] if top or len(groups) < 2 else written)


def _moment(tokens: Sequence[Token], value: float, manner: Manner, *, from_1904: bool) -> str:
    """A date or a time. What is no date is shown as a number: Excel only shows a row of # there."""
    if not 0 <= value <= _LAST:
        return general(value, manner)
    places = _second_places(tokens)
    units = int(_rounded(_decimal(value) * _DAY, places).scaleb(places, _EXACT))
    days, rest = divmod(units, _DAY * 10**places)
    clock, part = divmod(rest, 10**places)
    day = _day(days, from_1904=from_1904)
    has_half = any(token.kind == "half" for token in tokens)

    def written(at: int, token: Token) -> str:
        match token.kind:
            case "date" if token.text[0] in "hs" or _is_minute(tokens, at):
                return _clock(token.text, clock, has_half)
            case "date":
                return _dated(token.text, day, manner)
            case "elapsed":
                return _elapsed(token.text, units // 10**places)
            case "half":
                return ("PM" if clock >= _DAY // 2 else "AM")[: 2 if "M" in token.text.upper() else 1]
            case "point" if places:
                return manner.decimal
            case "digit":
                return str(part).zfill(places) if places and tokens[at - 1].kind == "point" else ""
        return _between(token, manner)

    return "".join(written(at, token) for at, token in enumerate(tokens))


def _between(token: Token, manner: Manner) -> str:
    if token.kind == "stroke":
        return manner.date
    return {"point": ".", "comma": ","}.get(token.kind, _literal(token))


def _second_places(tokens: Sequence[Token]) -> int:
    """Digits behind a second: those that follow a point behind it."""
    for at, token in enumerate(tokens):
        if token.kind == "point" and at and tokens[at - 1].text in ("s", "ss"):
            zeros = [after.kind == "digit" for after in tokens[at + 1 : at + 4]]
            return zeros.index(False) if False in zeros else len(zeros)
    return 0


def _is_minute(tokens: Sequence[Token], at: int) -> bool:
    """Whether an m is a minute: it follows an hour or comes before a second."""
    if tokens[at].text not in ("m", "mm"):
        return False
    before = next((one.text for one in reversed(tokens[:at]) if one.kind in ("date", "elapsed")), "")
    after = next((one.text for one in tokens[at + 1 :] if one.kind in ("date", "elapsed")), "")
    return before.startswith("h") or after.startswith("s")


def _day(days: int, *, from_1904: bool) -> date | None:
    """The day of a number, None for the one that never was."""
    if from_1904:
        return _FIRST_1904 + timedelta(days=min(days, _LAST - 1_462))
    if days == _NO_DAY:
        return None
    return _FIRST + timedelta(days=days if days < _NO_DAY else days - 1)


def _dated(form: str, day: date | None, manner: Manner) -> str:
    year, month, number = (1900, 2, 29) if day is None else (day.year, day.month, day.day)
    weekday = 2 if day is None else day.weekday()
    if form[0] == "y":
        return str(year).zfill(4) if len(form) > 2 else f"{year % 100:02}"
    names = {
        "d": str(number),
        "dd": f"{number:02}",
        "ddd": manner.short_days[weekday],
        "m": str(month),
        "mm": f"{month:02}",
        "mmm": manner.short_months[month - 1],
        "mmmmm": manner.months[month - 1][0],
    }
    return names.get(form, manner.days[weekday] if form[0] == "d" else manner.months[month - 1])


def _clock(form: str, clock: int, has_half: bool) -> str:
    hours, minutes, seconds = clock // 3_600, clock // 60 % 60, clock % 60
    if has_half:
        hours = (hours - 1) % 12 + 1
    found = {"h": hours, "m": minutes, "s": seconds}[form[0]]
    return f"{found:02}" if len(form) > 1 else str(found)


def _elapsed(form: str, seconds: int) -> str:
    return str(seconds // {"h": 3_600, "m": 60, "s": 1}[form[0]]).zfill(len(form))
