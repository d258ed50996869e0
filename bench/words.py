"""Texts for made-up sessions: prose, code, logs, of sizes as they are in real ones. The same seed, the same bytes."""

from __future__ import annotations

import base64
import math
import random
import string
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

_SYLLABLES: Final = [
    "ba",
    "con",
    "de",
    "ex",
    "fi",
    "get",
    "han",
    "in",
    "jo",
    "ker",
    "load",
    "man",
    "node",
    "op",
    "par",
    "que",
    "re",
    "set",
    "to",
    "up",
    "val",
    "work",
    "xy",
    "ze",
    "tion",
    "er",
    "ing",
]
_LETTERS: Final = string.ascii_letters + string.digits
_WIDE: Final = 0.45
"""The share of texts that may have characters beyond ASCII."""


class Lines(NamedTuple):
    """Lines of one sort: all of them, and those in ASCII."""

    every: list[str]
    plain: list[str]

    @staticmethod
    def of(lines: Iterable[str]) -> Lines:
        """Such lines."""
        every = list(lines)
        return Lines(every, [line for line in every if line.isascii()])


class Vocabulary:
    """Names, and lines made of them: the same in every session, so there is one of it (`vocabulary`).

    Some lines are not ASCII: escapes, accents, emoji and wide characters cost a decoder differently. They stand in less
    than half of the texts: so many that as large a share of a session's lines has one as in the corpus (`python -m
    bench.shape` counts both).
    """

    def __init__(self) -> None:
        dice = random.Random(7)
        names: dict[str, None] = {}
        while len(names) < 6000:
            names["".join(dice.choices(_SYLLABLES, k=dice.randint(1, 4)))] = None
        self._names: Final = list(names)
        self._weights: Final = list(accumulate(1 / (i + 5) ** 0.9 for i in range(len(names))))  # few words are frequent
        self.code: Final = Lines.of(self._code_line(dice) for _ in range(6000))
        self.logs: Final = Lines.of(self._log_line(dice) for _ in range(4000))
        self.prose: Final = Lines.of(self._sentence(dice) for _ in range(4000))

    def pick(self, dice: random.Random, count: int) -> list[str]:
        """Some names."""
        return dice.choices(self._names, cum_weights=self._weights, k=count)

    def _code_line(self, dice: random.Random) -> str:
        a, b, c, d = self.pick(dice, 4)
        indent = "    " * dice.choice((0, 1, 1, 2, 2, 3)) if dice.random() < 0.8 else "\t"
        forms = (
            "",
            f"def {a}_{b}(self, {c}: str, {d}=None):",
            f'{a} = {b}.{c}("{d}", {{"{a}": {dice.randrange(1000)}}})',
            f"if {a} is not None and {b} != '{c}':",
            f"# {a} {b} {c} {d}",
            f'return f"{a} {{{b}}}\\n"',
            f'<div className="{a}-{b}" onClick={{() => {c}("{d}")}}>',
            f'{a}: re.compile(r"\\d+\\s*{b}\\b"),',
            f"// {a} — “{b}” … überprüfen → ok ✓",
            f'"{a}": "日本語のテキスト {b} です",',
            f"{a}.{b}({c}, {d}, {dice.randrange(10**6)})",
        )
        return indent + dice.choices(forms, weights=(8, 12, 12, 10, 8, 8, 8, 4, 2, 0.5, 27))[0]

    def _log_line(self, dice: random.Random) -> str:
        a, b, c, d = self.pick(dice, 4)
        forms = (
            f'./src/{a}/{b}.py:{dice.randrange(900)}:    {c} = {d}("{a}")',
            f"\x1b[32m✓\x1b[39m {a} {b} ({dice.randrange(900)} ms)",
            f"2026-03-02T10:00:00Z INFO  [{a}] {b} {c}={dice.randrange(99999)}",
            f"-rw-r--r-- 1 user user {dice.randrange(999999):7d} Mar  1 10:00 {a}_{b}.ts",
            f"tests/test_{a}.py::test_{b}[{c}] PASSED",
        )
        return dice.choices(forms, weights=(30, 20, 20, 20, 10))[0]

    def _sentence(self, dice: random.Random) -> str:
        text = " ".join(self.pick(dice, dice.randint(6, 22))).capitalize() + "."
        extra = dice.random()
        return text + (" 🎉" if extra < 0.01 else " It’s done — really." if extra < 0.06 else "")


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary. To make it takes a third of a second: as long as a session of 1 MB."""
    return Vocabulary()


class Words:
    """A source of texts, sizes, ids and rising times; what they are made of is the same for every seed."""

    def __init__(self, seed: int) -> None:
        self._known: Final = vocabulary()
        self.dice: Final = random.Random(seed)
        self._now = datetime(2026, 3, 1, 9) + timedelta(seconds=self.dice.randrange(20_000_000))

    # texts of a size in characters

    def _taken(self, of: Lines, size: int) -> list[str]:
        lines = of.every if self.dice.random() < _WIDE else of.plain
        found: list[str] = []
        have = 0
        while have < size:
            at = self.dice.randrange(len(lines))
            for line in lines[at : at + self.dice.randint(5, 40)]:
                found.append(line)
                have += len(line) + 1
                if have >= size:
                    break
        return found

    def code(self, size: int) -> list[str]:
        """Lines of code."""
        return self._taken(self._known.code, size)

    def log(self, size: int) -> str:
        """What a command prints."""
        return "\n".join(self._taken(self._known.logs, size))

    def prose(self, size: int) -> str:
        """What a person or a model says."""
        found = self._taken(self._known.prose, size)
        return "\n\n".join(" ".join(found[i : i + 4]) for i in range(0, len(found), 4))

    def size(self, median: float, spread: float, least: int, most: int) -> int:
        """A size, log-normal around a median."""
        return int(min(most, max(least, median * math.exp(self.dice.gauss(0, spread)))))

    # names and times

    def name(self, count: int = 1, between: str = "-") -> str:
        """Words of the vocabulary."""
        return between.join(self._known.pick(self.dice, count))

    def letters(self, count: int) -> str:
        """Letters and digits, as in vendors' ids."""
        return "".join(self.dice.choices(_LETTERS, k=count))

    def base64(self, count: int) -> str:
        """About so many characters of base64: pictures, signatures, encrypted thoughts."""
        return base64.b64encode(self.dice.randbytes(count * 3 // 4)).decode()

    def uuid(self) -> str:
        """A version-4 UUID."""
        h = f"{self.dice.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def time(self) -> str:
        """The next moment, as both clients write times."""
        self._now += timedelta(milliseconds=self.dice.randint(200, 20_000))
        return self._now.isoformat(timespec="milliseconds") + "Z"
