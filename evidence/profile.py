"""The normalisation profile: the one way in which extracted text becomes representation text.

Line ends become LF, the text becomes NFC by a pinned Unicode database, U+0000 from an extractor becomes U+FFFD. Nothing
else: no trimming, folding, white space collapse or ligature expansion. Every step is named in the id.
"""

from __future__ import annotations

from typing import Final

import unicodedata2

PROFILE: Final = f"newline=lf nul=fffd form=nfc unicode={unicodedata2.unidata_version}"


def normalise(text: str) -> str:
    """Representation text for an extractor's text (a str without surrogates)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return str(unicodedata2.normalize("NFC", text))
