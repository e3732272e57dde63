"""Files that are nothing but characters, in the encodings of their time: a web page, two lists, a letter by e-mail."""

from __future__ import annotations

import codecs
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

DECLARED: Final = "cp850"
"""The encoding of the old list of faults, which only the rules file tells."""

_PAGE: Final = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="de"><head>
<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">
<title>Intranet – Schlüssel und Schließanlage</title>
<style type="text/css">.nur-druck { display: none } td { padding: 3px }</style>
<script type="text/javascript">document.write("Sie sind Besucher Nr. 004711");</script>
<link rel="stylesheet" href="http://intranet.stadtwerke-lindenau.example/alt.css">
</head><body bgcolor="#ffffcc">
<img src="http://intranet.stadtwerke-lindenau.example/logo.gif" alt="Stadtwerke Lindenau">
<h1>Schlüssel und Schließanlage</h1>
<p>Jeder Schlüssel wird <b>gegen Unterschrift</b> ausgegeben. „Kurz geliehen“ gibt es nicht – auch nicht für fünf Minuten.</p>
<p class="nur-druck">Der Generalschlüssel liegt im Tresor der Pforte, Fach 3.</p>
<h2>Schließkreise</h2>
<table border="1">
<tr><th>Kreis</th><th>Türen</th><th>Ausgabe durch</th></tr>
<tr><td>A</td><td>Haupteingang, Flure, Kantine</td><td>Pforte</td></tr>
<tr><td>B</td><td>Werkstatt Ost, Hallen 1 bis 3</td><td>Werkstattleitung</td></tr>
<tr><td>C</td><td>Schaltanlagen und Leitstelle</td><td>Netzbetrieb</td></tr>
</table>
<h2>Begriffe</h2>
<dl>
<dt>Gruppenschlüssel<dd>schließt alle Türen eines Kreises
<dt>Hauptschlüssel<dd>schließt die Kreise A und B; es gibt vier davon
<dt>Notzylinder<dd>lässt sich von außen öffnen, auch wenn innen ein Schlüssel steckt
</dl>
<p>Ein verlorener Gruppenschlüssel kostet rund 4.200 €, weil dann 61 Zylinder getauscht werden.</p>
<ol start="3"><li>Verlust sofort unter 4410 melden<li>Suchen<li>Verlustanzeige unterschreiben</ol>
<div hidden>Entwurf, nicht freigegeben: Ab 2027 werden Transponder ausgegeben.</div>
<p><font color="#ffffcc" size="1">Suchwörter: Schlüsseldienst Türöffnung Aufbruch</font></p>
<p><a href="javascript:history.back()">zurück</a> · <a href="mailto:pforte@stadtwerke-lindenau.example">Pforte</a></p>
</body></html>
"""
_FAULTS: Final = """Störungsmeldungen 2009, Auszug aus dem alten Leitrechner

14.01.2009  03:12  Druckabfall Zone 2, Schieber Kapellenberg klemmt

02.06.2009  17:40  Überspannung nach Blitzschlag, Schaden 1.850 Euro

23.11.2009  08:05  Öl im Kabelkeller Kohlgasse, Pumpe getauscht

Ende der Liste. Ältere Meldungen stehen nur auf Papier.
"""
_READINGS: Final = """Zählerstände Hallenbad 2025 (aus der Tabelle als „Unicode-Text“ gespeichert)

Jänner: 118.402 m³, Februar: 119.977 m³, März: 121.344 m³

Die Werte des Blockheizkraftwerks stehen in der Wärmeabrechnung (η = 0,38).
"""
_DECISION: Final = """Liebe Kolleginnen und Kollegen,

im Umlaufverfahren hat die Geschäftsführung heute einstimmig beschlossen: Die Notstromversorgung in Raum 0.12 wird
für höchstens 92.500 € erneuert. Die Brennstoffzelle wird nicht weiter verfolgt.

Wer widersprechen will, tut es bis zum 12. November, 12 Uhr.

Das Angebot liegt an.

Mit freundlichem Gruß
Katharina Ohlendorf
"""


def page() -> bytes:
    """An intranet page of 2019 in windows-1252, with parts that no reader saw."""
    return _PAGE.encode("windows-1252")


def faults() -> bytes:
    """A list in DECLARED with line ends of DOS: nothing in the file says so."""
    return _FAULTS.replace("\n", "\r\n").encode(DECLARED)


def readings() -> bytes:
    """A list in UTF-16 with its byte order mark."""
    return codecs.BOM_UTF16_LE + _READINGS.encode("utf-16-le")


def decision() -> bytes:
    """A decision by e-mail with an attachment."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = "Katharina Ohlendorf <ohlendorf@stadtwerke-lindenau.example>"
    mail["To"] = "Leitungsrunde <leitung@stadtwerke-lindenau.example>"
    mail["Subject"] = "Umlaufbeschluss: Notstrom für die Leitstelle"
    mail["Date"] = "Thu, 05 Nov 2026 16:20:00 +0100"
    mail["Message-ID"] = "<B-2026-11@stadtwerke-lindenau.example>"
    mail.set_content(_DECISION, charset="iso-8859-15", cte="quoted-printable")
    mail.add_attachment(
        "Position;Preis\r\nAggregat 60 kVA;71.300 €\r\nUmschalteinrichtung;18.900 €\r\n".encode(),
        maintype="text",
        subtype="csv",
        filename="Angebot Notstrom.csv",
    )
    mail.set_boundary("=_lindenau_2026_11")
    return mail.as_bytes()
