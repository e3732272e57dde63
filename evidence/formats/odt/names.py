"""Names of OpenDocument: its namespaces."""

from __future__ import annotations

from typing import Final

_FAMILY: Final = "urn:oasis:names:tc:opendocument:xmlns:"

OFFICE: Final = f"{{{_FAMILY}office:1.0}}"
TEXT: Final = f"{{{_FAMILY}text:1.0}}"
TABLE: Final = f"{{{_FAMILY}table:1.0}}"
DRAW: Final = f"{{{_FAMILY}drawing:1.0}}"
STYLE: Final = f"{{{_FAMILY}style:1.0}}"
FO: Final = f"{{{_FAMILY}xsl-fo-compatible:1.0}}"
SVG: Final = f"{{{_FAMILY}svg-compatible:1.0}}"
XLINK: Final = "{http://www.w3.org/1999/xlink}"
LIBREOFFICE: Final = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
