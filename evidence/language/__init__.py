"""What words and questions mean, in German and English: forms, compounds, spellings, references, and what says nothing.

Pure values: nothing here knows a document. What is made of a word depends on the word alone, so that it can be kept in an index
beside the word and tells nothing of who may read what. Words are lowered, as the tokeniser gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import simplemma
import Stemmer

from evidence.language import compounds, forms, references, spelling
from evidence.language.asking import Asked, Wanted, understand
from evidence.language.compounds import Role
from evidence.language.references import Reference, abbreviates, mark
from evidence.language.spelling import fold

__all__ = ["Asked", "Keys", "Reference", "Role", "Wanted", "abbreviates", "fold", "keys", "mark", "understand"]

TERMS = f"language=1 simplemma={simplemma.__version__} stemmer={Stemmer.version()}"
"""Names what the keys are made with. Keys that were made with something else must be made anew."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Under which keys a word of the vocabulary is found. parts: the form keys of words that it is a compound of."""

    forms: frozenset[str]
    parts: Mapping[str, Role]
    spellings: frozenset[str]
    abbreviation: str | None


def keys(word: str) -> Keys:
    """For one lowered word."""
    parts = compounds.parts(word)
    return Keys(forms.keys(word, compound=bool(parts)), parts, spelling.buckets(word), references.abbreviation_key(word))
