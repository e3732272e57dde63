"""Words that say nothing, or little, of what is asked. German and English; lowered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from evidence.language import forms
from evidence.language.wordlists import listed

_GERMAN: Final = listed(
    """
    aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anders auch auf
    aus bei beim bereits bin bis bist da dabei dadurch dafür dagegen daher dahin damit danach daneben dann daran
    darauf daraus darf darfst darin darum darunter darüber das dass daß davon davor dazu dein deine deinem deinen
    deiner dem den denen denn dennoch der deren des deshalb dessen die dies diese dieselbe dieselben diesem diesen
    dieser dieses dir doch dort du durch dürfen dürft ebenso ein eine einem einen einer eines einige einigem einigen
    einiger einiges er es etwa etwas euch euer eure eurem euren eurer für gab gegen gegenüber gehabt gern gibt habe
    haben habt hast hat hatte hatten hätte hätten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres
    im in indem ins ist ja je jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes jetzt kann kannst
    kein keine keinem keinen keiner keines können könnt könnte man manche manchem manchen mancher manches mehr mein
    meine meinem meinen meiner meines mich mir mit muss musst musste muß müssen müsst müsste nach nachdem nicht
    nichts noch nun nur ob oder ohne schon sehr sei seid sein seine seinem seinen seiner seines seit selbst sich sie
    sind so sobald sogenannte sogenannten sogenannter solche solchem solchen solcher solches soll sollen sollte
    sollten somit sondern sonst soweit sowie steht über um und uns unser unsere unserem unseren unserer unseres
    unter viel viele vielem vielen vieler vom von vor wann war waren warst warum was weil weiter welch welche
    welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso wieviel will wir
    wird wirst wo wobei wodurch wofür woher wohin womit wonach woran worauf woraus worden worin worüber wovon wozu
    wurde wurden während wäre würde würden zu zum zur zwar zwischen inwiefern
    """
)
_ENGLISH: Final = listed(
    """
    a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing done down during each either few for from further had has have having he
    her here hers herself him himself his how i if in into is it its itself just many may me might more most much
    must my myself no nor not now of off on once one only or other our ours out over own same shall she should so
    some such than that the their theirs them themselves then there these they this those through to too under until
    up us very was we were what when where which while who whom whose why will with would you your yours
    """
)

_MEASURES: Final = listed(
    """
    hoch lange lang groß viel viele vielen oft früh spät nah nahe weit schnell alt teuer häufig long many much often
    high quickly far old big large soon early late fast
    """
)
_MEASURING: Final = frozenset(("wie", "how"))

_LITTLE: Final = listed(
    """
    art name begriff bezeichnung beispiel form weise heißen hieß lauten nennen nannte bezeichnen bekannt gelten
    liegen lag befinden befand bestehen bestand geben gab gehen ging laut ungefähr etwa meist meistens hauptsächlich
    typischerweise normalerweise ursprünglich bestimmt verschieden mehrere beide immer zuerst zusätzlich
    insbesondere bezüglich verwenden benutzen machen machte stellen bekommen erhalten erhielt passieren geschehen
    kommen kam stehen stand sehen sah sagen finden fand lassen ließ nehmen nahm bringen brauchen benötigen derzeit
    aktuell heute damals früher einzig ganz groß klein neu anzahl zahl wort teil ding frage antwort eigentlich
    offiziell genau wichtig besonders gehören folgen führen bleiben regeln term type kind sort example name form way
    word phrase use used call known know consider associate locate describe give accord common commonly typical
    typically general generally usual usually often frequent frequently primarily most mostly main mainly major
    specific specifically certain various several another within upon approximately current currently ever become
    make take refer define consist include exist occur mean believe say do get go come show find see think part
    number amount answer question fact thing happen
    """
)
"""Words that questions are phrased with: found or missing, they weigh less."""


@cache
def _little() -> frozenset[str]:
    return frozenset().union(*map(forms.keys, _LITTLE))


def ignored(words: Sequence[str]) -> frozenset[str]:
    """Those of a question's words that are not looked for: little words, and what is measured in "how long", "wie hoch".

    Never all of them. A word that only one language takes for little ("war", "die", "man") is one only where that language has no
    fewer of the question's little words than the other.
    """
    german, english = (sum(word in those for word in words) for those in (_GERMAN, _ENGLISH))
    little = (_GERMAN if german >= english else frozenset()) | (_ENGLISH if english >= german else frozenset())
    left_out = {word for word in words if word in little}
    left_out |= {word for before, word in zip(words, words[1:], strict=False) if before in _MEASURING and word in _MEASURES}
    return frozenset() if left_out.issuperset(words) else frozenset(left_out)


def says_little(keys: frozenset[str]) -> bool:
    """Whether a word with these form keys is one that questions are phrased with."""
    return not keys.isdisjoint(_little())
