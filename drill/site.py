"""A whole installation for one drill: data folder, database, origin, web server, worker, and people who keep on asking.

Each document has one line that names it, its state and who may read it: `dokument7 stand7k3`. A word of a state is born with the
rights that the document had when it was written, so that anybody can tell from a hit whether it may be shown.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import requests

from evidence.tests import databases
from evidence.tests.databases import Place

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENTS: Final = 24
SOURCE: Final = "handbuch"
PEOPLE: Final[Mapping[str, Sequence[str]]] = {"anna": ("alle", "netz"), "ben": ("alle",)}
PASSWORD: Final = "nur-fuer-die-Uebung-7"
STARTS_WITHIN: Final = 60.0
RECOVERS_WITHIN: Final = 300.0
"""Seconds after the last fault until everything must be as it should be."""
ASKED_EVERY: Final = 0.02
REFUSALS: Final = frozenset({503, 429})
"""What a server may answer when it can't: never a wrong answer, and never a fault of its own."""


@dataclass(frozen=True)
class Answer:
    """What somebody was told. status: 0 where nobody answered."""

    status: int
    quotes: Sequence[str] = ()


@dataclass
class Origin:
    """The folder that documents come from, and what is true of it. states: document -> number of its state; closed: who is
    in `netz` alone reads it. secret: words that only `netz` was ever to read.
    """

    folder: Path
    states: dict[int, int] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    secret: set[str] = field(default_factory=set)
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def fill(self) -> None:
        """The first state of every document; every fourth is closed."""
        self.closed = set(range(0, DOCUMENTS, 4))
        self._rules()
        for number in range(DOCUMENTS):
            self.edit(number)

    def edit(self, number: int) -> None:
        """A new state."""
        self.states[number] = self.states.get(number, 0) + 1
        if number in self.closed:
            self.secret.add(self.word(number))
        body = "\n\n".join(f"Absatz {n} von dokument{number}n{n}." for n in range(self.chance.randrange(1, 40)))
        self._write(f"{number}.txt", f"dokument{number} {self.word(number)}\n\n{body}\n")

    def close(self, number: int) -> None:
        """Only `netz` may read it from now on; then it gets a new state, which nobody else may ever see."""
        self.closed.add(number)
        self._rules()
        self.edit(number)

    def remove(self, number: int) -> None:
        """It is no longer there."""
        (self.folder / f"{number}.txt").unlink()
        del self.states[number]

    def change(self) -> None:
        """Something that happens to documents."""
        there = sorted(self.states)
        what = self.chance.choice(["edit", "edit", "edit", "close", "remove", "back"])
        gone = sorted(set(range(DOCUMENTS)) - set(there))
        if what == "remove" and len(there) > DOCUMENTS * 2 // 3:
            self.remove(self.chance.choice(there))
        elif what == "back" and gone:
            number = self.chance.choice(gone)
            self.states[number] = self.chance.randrange(1_000, 9_000)  # a word that no earlier state had
            self.edit(number)
        elif what == "close" and len(self.closed) < DOCUMENTS // 2:
            self.close(self.chance.choice(there))
        else:
            self.edit(self.chance.choice(there))

    def word(self, number: int) -> str:
        """What only this state of this document holds."""
        return f"stand{number}k{self.states[number]}"

    def _rules(self) -> None:
        entries = [f'[[document]]\npath = "{number}.txt"\nallowed = ["group:netz"]\n' for number in sorted(self.closed)]
        self._write(
            "fundstelle.toml", "\n".join(['[[document]]\npath = "**"\nallowed = ["group:alle", "group:netz"]\n', *entries])
        )

    def _write(self, name: str, text: str) -> None:
        part = self.folder / f".{name}"
        part.write_text(text, encoding="utf-8")
        part.replace(self.folder / name)


class Site:
    """An installation that runs. wrong: what was seen that must never be; answers: how often each status was given.

    is_still: nothing changes at the origin, so that every answer must be exactly right, or none.
    """

    def __init__(self, place: Place, origin: Origin) -> None:
        self.place = place
        self.origin = origin
        self.port = _free_port()
        self.tokens: dict[str, str] = {}
        self.wrong: list[str] = []
        self.answers: Counter[int] = Counter()
        self.is_still = False
        self.environment = dict(place.environment)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def manage(self, *words: str, check: bool = True, said: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"manage.py {words[0]} ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-1500:]}")
        return done

    def set_up(self, *options: str) -> None:
        """Tenant, people, documents."""
        self.manage("migrate", "-v0")
        self.manage("createtenant", "lindenau", "--name", "Lindenau")
        for group in ("alle", "netz"):
            self.manage("creategroup", group, "--tenant", "lindenau")
        for person, groups in PEOPLE.items():
            words = ("createperson", person, "--tenant", "lindenau", "--groups", ",".join(groups), "--password-stdin")
            self.manage(*words, said=PASSWORD)
            made = self.manage("createtoken", person, "--tenant", "lindenau", "--name", "Übung")
            self.tokens[person] = next(word for word in made.stdout.split() if word.startswith("fst_"))
        self.origin.fill()
        place = ("--tenant", "lindenau", "--kind", "folder", "--location", str(self.origin.folder))
        self.manage("createsource", SOURCE, *place, *options)
        self.manage("sync", SOURCE, "--tenant", "lindenau", "-v0")

    def sync(self, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """One run of the source."""
        return self.manage("sync", SOURCE, "--tenant", "lindenau", "-v0", check=check)

    def start(self, name: str, *words: str) -> None:
        """A process group of its own, so that a kill takes its children along."""
        self._running[name] = subprocess.Popen(
            words, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def serve(self, *, skewed: int = 0) -> None:
        """The web server, until it answers. skewed: by how many seconds its clock is wrong."""
        bind = ("--bind", f"127.0.0.1:{self.port}", "--workers", "2", "--threads", "4", "--log-level", "error")
        self.start("web", sys.executable, "-m", *(["drill.skewed", str(skewed)] if skewed else ["gunicorn"]), *bind)
        until = time.monotonic() + STARTS_WITHIN
        while self.ask("anna", "dokument1").status == 0:
            if time.monotonic() > until:
                raise AssertionError("the web server does not answer")
            time.sleep(0.1)

    def work(self) -> None:
        """The worker."""
        self.start("worker", sys.executable, "manage.py", "work")

    def is_running(self, name: str) -> bool:
        """Whether this process has not ended."""
        return name in self._running and self._running[name].poll() is None

    def end(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Send this signal to the process and its children, and wait for its end."""
        process = self._running.pop(name, None)
        if process is not None:
            if process.poll() is None:
                os.killpg(process.pid, number)
            process.wait(timeout=60)

    def end_all(self) -> None:
        """Nothing runs any more."""
        for name in list(self._running):
            self.end(name)

    def ask(self, person: str, words: str, *, session: requests.Session | None = None) -> Answer:
        """What this person finds."""
        caller = session or requests
        try:
            got = caller.get(
                f"http://127.0.0.1:{self.port}/api/v1/search",
                params={"q": words, "limit": "50"},
                headers={"Authorization": f"Bearer {self.tokens[person]}"},
                timeout=60,
            )
            found = got.json()["hits"] if got.status_code == 200 else []
        except (requests.RequestException, ValueError, KeyError):
            return Answer(0)
        return Answer(got.status_code, [hit["quote"] for hit in found])

    @contextmanager
    def still(self) -> Iterator[None]:
        """While this goes on, nothing changes at the origin, and people ask."""
        self.is_still = True
        with self.asking():
            yield
        self.is_still = False

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While this goes on, both people ask all the time, and whatever they must not see is written down."""
        stop = threading.Event()
        askers = [threading.Thread(target=self._keep_asking, args=(person, stop)) for person in PEOPLE]
        for asker in askers:
            asker.start()
        try:
            yield
        finally:
            stop.set()
            for asker in askers:
                asker.join()

    def _keep_asking(self, person: str, stop: threading.Event) -> None:
        chance = random.Random(person)
        with requests.Session() as session:
            while not stop.is_set():
                number = chance.randrange(DOCUMENTS)
                self.judge(person, number, self.ask(person, f"dokument{number}", session=session))
                stop.wait(ASKED_EVERY)

    def judge(self, person: str, number: int, answer: Answer) -> None:
        """Write down what must not be in this answer, whatever the moment."""
        self.answers[answer.status] += 1
        if answer.status not in {0, 200} | REFUSALS:
            self.wrong.append(f"status {answer.status}")
        if len(answer.quotes) > 1:
            self.wrong.append(f"two states of one document: {answer.quotes}")
        for quote in answer.quotes:
            name, word = quote.split()
            if name != f"dokument{number}":
                self.wrong.append(f"asked for {number}, found {quote}")
            if person == "ben" and word in self.origin.secret:
                self.wrong.append(f"ben found {quote}, which was never to be read by him")
        if self.is_still and answer.status == 200 and list(answer.quotes) != self.expected(person, number):
            self.wrong.append(f"{person} found {list(answer.quotes)} instead of {self.expected(person, number)}")

    def expected(self, person: str, number: int) -> list[str]:
        """What this person finds of this document, once everything is taken in."""
        is_there = number in self.origin.states and not (person == "ben" and number in self.origin.closed)
        return [f"dokument{number} {self.origin.word(number)}"] if is_there else []

    def differences(self) -> list[str]:
        """Where what people find is not what the origin holds."""
        found = []
        for number in range(DOCUMENTS):
            for person in PEOPLE:
                wanted = self.expected(person, number)
                answer = self.ask(person, f"dokument{number}")
                if (answer.status, list(answer.quotes)) != (200, wanted):
                    found.append(f"{person}, dokument{number}: {answer.status} {list(answer.quotes)} instead of {wanted}")
        return found

    def recovers(self, *, mends: bool = False) -> float:
        """Seconds until people find exactly what the origin holds; and `verify` finds no fault, which nobody need have met.

        mends: what `verify` finds may be mended by the worker then.
        """
        began = time.monotonic()
        while found := self.differences():
            if time.monotonic() - began > RECOVERS_WITHIN:
                self.wrong += found
                return time.monotonic() - began
            time.sleep(0.5)
        took = time.monotonic() - began
        done = self.manage("verify", "-v0", check=False)
        while done.returncode and mends and time.monotonic() - began < RECOVERS_WITHIN:
            done = self.manage("verify", "-v0", check=False)
        if done.returncode:
            self.wrong.append(f"verify: {done.stdout[-300:]} {done.stderr[-300:]}")
        return took


@contextmanager
def site(folder: Path, *options: str) -> Iterator[Site]:
    """An installation with its documents taken in; nothing of it runs on afterwards. options: of the source."""
    (folder / "origin").mkdir(parents=True)
    with databases.place(folder / "data") as place:
        made = Site(place, Origin(folder / "origin"))
        try:
            made.set_up(*options)
            yield made
        finally:
            made.end_all()


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
