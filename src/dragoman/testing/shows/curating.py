"""Answers what datasets of web APIs are made with: queries, ratings, answers, for show, and mistakes.

A request is a JSON object in the last message; what it has tells what is asked for. Equal requests get
equal answers, but for mistakes, which are drawn anew each time.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.keys import content_key, derive_seed
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.testing.answers import Unanswered
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.completions import CannedReply
from dragoman.testing.faults import chance

_STATED = re.compile(r"(\w{1,60}): ([^,.()]{1,80})")
_FIELD = re.compile(r'"(\w{1,60})":\s?"?([^",{}\[\]]{1,80})')

DIMENSIONS = ("relevance", "practicality", "linguistic_applicability", "clarity", "specificity")


class CuratingMistakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What goes wrong and how often, as shares of requests from 0 to 1.

    Args:
        bad_json: The answer breaks off.
        prose: The answer is prose.
        extra_field: The answer has a field that nobody asked for.
        out_of_range: A score is 6.
        names_api: A query names its API.
        loses_letter: A ranking leaves an answer out.
        calls_unknown: An answer calls a tool that is not there.
    """

    bad_json: float = 0.0
    prose: float = 0.0
    extra_field: float = 0.0
    out_of_range: float = 0.0
    names_api: float = 0.0
    loses_letter: float = 0.0
    calls_unknown: float = 0.0


class _Asked(msgspec.Struct):
    apis: list[dict[str, object]] = []
    count: int = 0
    query: str = ""
    tools: list[dict[str, object]] = []
    so_far: list[dict[str, object]] | None = None
    answers: dict[str, object] = {}
    steps: list[object] = []


class CuratingAnswers:
    """Answers for show; `asked` counts requests by what they asked for."""

    def __init__(self, mistakes: CuratingMistakes | None = None, seed: int = 0) -> None:
        self._mistakes = mistakes or CuratingMistakes()
        self._seed = seed
        self._times: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return what a request asks for."""
        try:
            asked = msgspec.json.decode(request.messages[-1].text, type=_Asked)
        except UNREADABLE as error:
            return Unanswered(f"the last message asks for nothing of datasets ({error})")
        key = content_key(request.messages[-1].text)
        purpose, found = self._found(asked, key)
        self.asked[purpose] += 1
        self._times[key] += 1
        return CannedReply(self._spoiled(found, key))

    def _found(self, asked: _Asked, key: str) -> tuple[str, dict[str, object]]:
        if asked.count:
            return "queries", self._queries(asked, key)
        if asked.so_far is not None:
            return "answer", self._answer(asked, key)
        if asked.answers:
            return "ranking", self._ranking(sorted(asked.answers), key)
        if asked.steps:
            passes = derive_seed(key, "passes") % 8 > 0
            return "check", {"decision": "Pass" if passes else "Fail", "reasoning": "for show"}
        return "rating", self._rating(key)

    def _queries(self, asked: _Asked, key: str) -> dict[str, object]:
        queries = [_query(asked.apis, number) for number in range(asked.count)]
        if self._strikes("names_api", key):
            queries[0] = f"{asked.apis[0].get('name')}? {queries[0]}"
        return {"queries": queries}

    def _rating(self, key: str) -> dict[str, object]:
        scores = {name: 3 + derive_seed(key, name) % 3 for name in DIMENSIONS}
        if self._strikes("out_of_range", key):
            scores["clarity"] = 6
        return {**scores, "why": "for show"}

    def _ranking(self, letters: list[str], key: str) -> dict[str, object]:
        ranking = sorted(letters, key=lambda letter: derive_seed(key, letter))
        return {"ranking": ranking[self._strikes("loses_letter", key) :], "why": "for show"}

    def _answer(self, asked: _Asked, key: str) -> dict[str, object]:
        called = (
            "Nobody Offers This()" if self._strikes("calls_unknown", key) else _next_call(asked)
        )
        return {"Thought": f"{asked.query} ({len(asked.so_far or ())})", "Action": f"[{called}]"}

    def _spoiled(self, found: dict[str, object], key: str) -> str:
        if self._strikes("prose", key):
            return "I would be glad to help with that."
        if self._strikes("extra_field", key):
            found["confidence"] = 0.9
        text = msgspec.json.encode(found).decode()
        return text[: len(text) // 2] if self._strikes("bad_json", key) else text

    def _strikes(self, mistake: str, key: str) -> bool:
        drawn = chance(self._seed, f"{key} {self._times[key]}", mistake)
        return bool(drawn < getattr(self._mistakes, mistake))


def _next_call(asked: _Asked) -> str:
    """Return a call of the first tool that was not called and whose required parameters are known.

    Known is what the query states as `name: value`, and fields of results by their names.
    """
    steps = asked.so_far or []
    stated = dict(_STATED.findall(asked.query))
    for step in steps:
        for result in _list(step.get("results")):
            stated.update(_FIELD.findall(str(result)))
    called = {_text(call, "tool") for step in steps for call in _list(step.get("calls"))}
    for tool in asked.tools:
        required = [
            each for each in _list(tool.get("required_parameters")) if isinstance(each, dict)
        ]
        names = [_text(each, "name") for each in required]
        if names and tool.get("name") not in called and all(name in stated for name in names):
            types = {_text(each, "name"): _text(each, "type") for each in required}
            values = (f"{name}={_literal(stated[name], types[name])}" for name in names)
            return f"{tool.get('name')}({', '.join(values)})"
    return ""


def _literal(text: str, kind: str) -> str:
    if kind in {"integer", "number"} and text.replace(".", "", 1).isdigit():
        return text
    return f"'{text}'"


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(record: object, name: str) -> str:
    return str(record.get(name, "")) if isinstance(record, dict) else ""


def _query(apis: Sequence[Mapping[str, object]], number: int) -> str:
    """Return a query that states what is known of the APIs' required parameters."""
    stated = []
    for api in apis:
        parameters = api.get("required_parameters")
        listed = parameters if isinstance(parameters, list) else []
        stated += [f"{each.get('name')}: {each.get('example', number)}" for each in listed]
    return f"Question {number + 1}. {', '.join(stated)}"
