"""The table of what is made: path below the folder of Lindenau -> what makes its bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from demo.making import agreement, minutes, office, plain, sheets, traps

FOLDER: Final = Path(__file__).parent.parent / "lindenau"

DOCUMENTS: Final[Mapping[str, Callable[[], bytes]]] = {
    "protokolle/vereinbarungen/bv-nachtarbeit_2025-07-01.pdf": agreement.agreement_2025,
    "protokolle/vereinbarungen/bv-nachtarbeit_2026-07-01.pdf": agreement.agreement_2026,
    "protokolle/personal/entgeltbaender_2026-01-01.pdf": sheets.pay_bands,
    "protokolle/leitung/leitungsrunde_2026-12-10.docx": minutes.minutes,
    "sicherheit/werkstatt/sdb-chlorbleichlauge_2026-03-02.en.pdf": sheets.safety_sheet,
    "sicherheit/netz/schichtbuch_2026-02-17.pdf": traps.scan,
    "sicherheit/netz/ersatzteile_2018-05-02.pdf": traps.letter_soup,
    "sicherheit/alle/gaswarngeraet_2026-01-12.pptx": office.slides,
    "beschluesse/A-2026-0871_2026-08-20_angebot.pdf": traps.offer,
    "beschluesse/B-2026-11_2026-11-05_umlauf.eml": plain.decision,
    "handbuch/schluessel_2019-05-20.html": plain.page,
    "handbuch/dienstkleidung_2026-03-01.odt": office.clothes,
    "handbuch/fuhrpark_2025-05-01.xlsx": office.vehicles,
    "handbuch/fuhrpark_2026-05-01.xlsx": partial(office.vehicles, moved=True),
    "handbuch/stoerungsmeldungen_2009-12-31.txt": plain.faults,
    "handbuch/zaehlerstaende_2025-04-01.txt": plain.readings,
}
