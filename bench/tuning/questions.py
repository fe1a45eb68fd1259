"""Questions to the bundled world's APIs, made of API descriptions and table values.

No task of the world is read. A question asks for a piece of a description or of a name, in the
language of the API. For the global APIs it may be in a frame of any language.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from dragoman.benchmarks.itc.world.api_data import ApiRow, ParameterRow, apis, countries, table
from dragoman.core.apis.tasks import ApiCall

HERE = Path(__file__).parent
KINDS = ("single", "single", "single", "single", "repeated", "parallel", "none")
_PIECE = re.compile(r"\w+|[^\w\s]")
_FEWEST, _MOST = 6, 12


class Question(msgspec.Struct, frozen=True):
    """One question: its text, language and thought, the tools on offer, and the gold calls."""

    text: str
    language: str
    kind: str
    thought: str
    offered: tuple[str, ...]
    calls: tuple[ApiCall, ...]


class Asker:
    """A generator of questions.

    Args:
        seed: Seed of the random draws.
        held_out: Whether the questions use the frames that are never trained on.
    """

    def __init__(self, seed: int, *, held_out: bool = False) -> None:
        self._drawn = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self._apis = apis()
        self._languages = {api.id: land.language for land in countries() for api in land.api}
        own = tomllib.loads((HERE / "frames.toml").read_text("utf-8"))
        part = slice(-1, None) if held_out else slice(0, -1)
        self._plain, self._pairs = own["plain"][part], own["pairs"][part]
        frames = (files("dragoman.curation.api_datasets") / "templates.toml").read_text("utf-8")
        self._frames: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(frames)
        self._thoughts = {name: str(each["thought"]) for name, each in self._frames.items()}
        self._is_plain_only = held_out

    def question(self) -> Question:
        """Return the next question."""
        drawn = self._drawn
        kind = drawn.choice(KINDS)
        first = drawn.choice(list(self._apis.values()))
        language = self._languages[first.id]
        if first.id.startswith("g-"):
            language = drawn.choice(sorted(self._frames))
        asked = [first]
        if kind == "parallel":
            asked.append(drawn.choice(self._near(first)))
        elif kind == "repeated":
            asked.append(first)
        texts, calls = zip(*(self._asked(api, language) for api in asked), strict=True)
        text = texts[0] if len(texts) == 1 else self._pair(texts[0], texts[1])
        if kind == "none":
            calls = ()
        offered = self._offered(asked, kind)
        names = ", ".join(dict.fromkeys(call.tool for call in calls)) or "[]"
        thought = self._thoughts[language].format(tools=names)
        return Question(text, language, kind, thought, offered, tuple(calls))

    def _pair(self, one: str, two: str) -> str:
        return str(self._drawn.choice(self._pairs)).format(one=one, two=two)

    def _asked(self, api: ApiRow, language: str) -> tuple[str, ApiCall]:
        drawn = self._drawn
        given = {
            each.name: value
            for each in api.parameter
            if (each.required or drawn.random() < 0.25)
            and (value := self._value(api, each)) is not None
        }
        by_name = {each.name: each for each in api.parameter}
        said = [self._said(by_name[name], value) for name, value in given.items()]
        drawn.shuffle(said)
        frames = list(self._plain)
        if not self._is_plain_only:
            frames += [each for each in self._frames[language]["single"] if "{values}" in each]
        frame = drawn.choice(frames)
        return frame.format(what=self._what(api), values=", ".join(said)), ApiCall(api.name, given)

    def _what(self, api: ApiRow) -> str:
        """Return a piece of an API's description of itself."""
        drawn = self._drawn
        source = drawn.choice([api.name, api.about, api.about])
        words = list(_PIECE.finditer(source))
        if len(words) == 1 or drawn.random() < 0.2:
            if len(source) < 8:
                return source
            begin = drawn.randrange(0, len(source) // 2)
            return source[begin : begin + drawn.randint(3, 20)]
        begin = drawn.randrange(len(words))
        end = min(len(words), begin + drawn.randint(1, 7)) - 1
        return source[words[begin].start() : words[end].end()]

    def _said(self, parameter: ParameterRow, value: object) -> str:
        drawn = self._drawn
        way = drawn.random()
        if way < 0.55:
            return str(value)
        if way < 0.8:
            return f"{parameter.name}: {value}"
        return f"{parameter.about.split(',')[0].split('.')[0]} {value}"

    def _value(self, api: ApiRow, parameter: ParameterRow) -> object:
        drawn = self._drawn
        if parameter.choices:
            return drawn.choice(parameter.choices)
        if parameter.type in {"integer", "number"}:
            low = parameter.minimum if parameter.minimum is not None else 0
            most = low + 5000
            high = most if parameter.maximum is None else min(parameter.maximum, most)
            if parameter.type == "integer":
                return drawn.randint(int(low), int(high))
            return round(drawn.uniform(low, high), drawn.randint(0, 2))
        if parameter.type == "boolean":
            return drawn.random() < 0.5
        known = list(dict.fromkeys(_column(api, parameter)))
        if known and drawn.random() < 0.7:
            return drawn.choice(known)
        example = parameter.example
        return None if example is None else _shaken(str(example), drawn)

    def _near(self, api: ApiRow) -> list[ApiRow]:
        home = api.id.partition("-")[0]
        near = [
            each
            for name, each in self._apis.items()
            if name != api.id and name.partition("-")[0] in {home, "g"}
        ]
        return near or [each for each in self._apis.values() if each.id != api.id]

    def _offered(self, asked: Sequence[ApiRow], kind: str) -> tuple[str, ...]:
        drawn = self._drawn
        names = list(dict.fromkeys(api.id for api in asked))
        home = {name.partition("-")[0] for name in names}
        alike = [other for api in asked for other in api.looks_like]
        others = [name for name in self._apis if name not in names]
        drawn.shuffle(others)
        others.sort(key=lambda name: name.partition("-")[0] not in home)
        if kind == "none":
            others = [name for name in others if name not in names]
            names = []
        size = max(len(names), drawn.randint(_FEWEST, _MOST))
        taken = list(dict.fromkeys([*names, *alike, *others]))[:size]
        drawn.shuffle(taken)
        return tuple(taken)


def _column(api: ApiRow, parameter: ParameterRow) -> Iterator[str]:
    """Yield the texts in the table column of a parameter."""
    if not api.table:
        return
    for name in parameter.columns or (parameter.name,):
        for row in table(api.table):
            value = row.get(name)
            if isinstance(value, str) and 0 < len(value) <= 40:
                yield value


def _shaken(example: str, drawn: random.Random) -> str:
    """Return an example with other digits; a date becomes another date."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", example):
        return f"{drawn.randint(2024, 2027)}-{drawn.randint(1, 12):02}-{drawn.randint(1, 28):02}"
    return re.sub(r"\d", lambda _: str(drawn.randrange(10)), example)
