"""Excel (`.xlsx`, `.xlsm`): for each sheet a heading and its rows, with values as they are shown.

A sheet holds numbers, and a format for each; how they are written depends on the language of whoever looks at them. They are
written in German, unless the file was written by an English Excel. Formulas are their last results. Hidden sheets, rows and
columns are marked as unseen. Comments are left out; macros, pictures, links and other workbooks are never opened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lxml import etree

from evidence.anchoring import Parser
from evidence.content import Content, Note, SpanKind
from evidence.formats.opc import Office, unexpected
from evidence.formats.options import Options
from evidence.formats.xlsx.names import S
from evidence.formats.xlsx.workbook import Workbook

PARSER: Final = Parser(
    "xlsx",
    f"1 lxml={etree.__version__}",
    "values=as-shown language=as-written,else-german hidden=unseen comments=out",
)


def extract(data: bytes, options: Options) -> Content:
    """The content of a workbook.

    Raises Refused as Package and `xml.parse` do, `sheet_cells`, `sheet_characters`, or `package_other_kind`.
    """
    office = Office(data)
    part, root = office.main()
    if root.tag != f"{S}workbook":
        raise unexpected(part, root)
    workbook = Workbook(office, part, root)
    workbook.read()
    content = workbook.content(office.title())
    unseen = any(span.kind is SpanKind.UNSEEN for span in content.spans)
    return replace(content, notes=(*workbook.notes, *((Note.UNSEEN_TEXT,) if unseen else ())))
