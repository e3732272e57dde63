"""Names of SpreadsheetML: its namespace."""

from __future__ import annotations

from typing import Final

S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
