"""A fake LLM for dataset curation: queries, ratings and answers, with drawn mistakes.

A request is a JSON object in the last message; its fields decide what the fake answers. Equal
requests get equal answers, except for mistakes. Most mistakes are slips, which are drawn again each
time a request comes. A wrong answer to a query, and a query that names an API, stay the same.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.content_keys import content_key, derive_seed
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fault_injection import chance
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered

_STATED = re.compile(r"(\w{1,60}): ([^,.()]{1,80})")
_FIELD = re.compile(r'"(\w{1,60})":\s?"?([^",{}\[\]]{1,80})')

DIMENSIONS = ("relevance", "practicality", "linguistic_applicability", "clarity", "specificity")


class CurationMistakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mistakes, as shares of requests from 0 to 1.

    Args:
        bad_json: The answer is truncated.
        prose: The answer is prose.
        extra_field: The answer has an unexpected field.
        out_of_range: A score is 6.
        names_api: A query names its API.
        loses_letter: A ranking omits an answer.
        calls_unknown: An answer calls a tool that does not exist.
        most_in_a_row: Number of wrong answers in a row after which a request gets a correct one.
    """

    bad_json: float = 0.0
    prose: float = 0.0
    extra_field: float = 0.0
    out_of_range: float = 0.0
    names_api: float = 0.0
    loses_letter: float = 0.0
    calls_unknown: float = 0.0
    most_in_a_row: int = 3


class _Asked(msgspec.Struct):
    apis: list[dict[str, object]] = []
    count: int = 0
    query: str = ""
    tools: list[dict[str, object]] = []
    so_far: list[dict[str, object]] | None = None
    answers: dict[str, object] = {}
    steps: list[object] = []


class FakeCurationLlm:
    """Answerer for curation requests.

    `asked` counts requests by their subject, and `mistakes` counts errors by kind.
    """

    def __init__(self, mistakes: CurationMistakes | None = None, seed: int = 0) -> None:
        self._mistakes = mistakes or CurationMistakes()
        self._seed = seed
        self._times: Counter[str] = Counter()
        self._in_a_row: Counter[str] = Counter()
        self.mistakes: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return the answer to a request."""
        try:
            asked = msgspec.json.decode(request.messages[-1].text, type=_Asked)
        except DECODING_ERRORS as error:
            return Unanswered(f"the last message asks for nothing of datasets ({error})")
        key = content_key(request.messages[-1].text)
        draws = self._draws(key, request.model or "", is_answer=asked.so_far is not None)
        purpose, found = self._found(asked, key, draws)
        self.asked[purpose] += 1
        reply = CannedReply(_corrupt_answer(found, draws))
        self._in_a_row[key] = self._in_a_row[key] + 1 if draws.struck else 0
        self.mistakes.update(draws.struck)
        return reply

    def _draws(self, key: str, model: str, *, is_answer: bool) -> "_Draws":
        """Return the source of one reply's mistakes."""
        if is_answer:
            return _Draws(self._mistakes, self._seed, f"{key} {model}", f"{key} {model}")
        self._times[key] += 1
        spared = self._in_a_row[key] >= self._mistakes.most_in_a_row
        mistakes = (
            CurationMistakes(names_api=self._mistakes.names_api) if spared else self._mistakes
        )
        return _Draws(mistakes, self._seed, f"{key} {self._times[key]}", key)

    def _found(self, asked: _Asked, key: str, draws: "_Draws") -> tuple[str, dict[str, object]]:
        if asked.count:
            return "queries", _queries(asked, draws)
        if asked.so_far is not None:
            return "answer", _answer(asked, draws)
        if asked.answers:
            return "ranking", _ranking(sorted(asked.answers), key, draws)
        if asked.steps:
            passes = derive_seed(key, "passes") % 8 > 0
            return "check", {"decision": "Pass" if passes else "Fail", "reasoning": "for show"}
        return "rating", _rating(key, draws)


class _Draws:
    """Draws the mistakes of one reply, and records which slips occurred."""

    def __init__(self, mistakes: CurationMistakes, seed: int, drawn: str, content: str) -> None:
        self._mistakes = mistakes
        self._seed = seed
        self._drawn = drawn
        self._content = content
        self.struck: list[str] = []

    def slips(self, mistake: str) -> bool:
        """Return whether a slip occurs this time."""
        struck = chance(self._seed, self._drawn, mistake) < getattr(self._mistakes, mistake)
        if struck:
            self.struck.append(mistake)
        return bool(struck)

    def means(self, mistake: str) -> bool:
        """Return whether a mistake occurs whenever the same request comes."""
        return bool(chance(self._seed, self._content, mistake) < getattr(self._mistakes, mistake))


def _queries(asked: _Asked, draws: _Draws) -> dict[str, object]:
    queries = [_query(asked.apis, number) for number in range(asked.count)]
    if draws.means("names_api"):
        queries[0] = f"{asked.apis[0].get('name')}? {queries[0]}"
    return {"queries": queries}


def _rating(key: str, draws: _Draws) -> dict[str, object]:
    scores = {name: 3 + derive_seed(key, name) % 3 for name in DIMENSIONS}
    if draws.slips("out_of_range"):
        scores["clarity"] = 6
    return {**scores, "why": "for show"}


def _ranking(letters: list[str], key: str, draws: _Draws) -> dict[str, object]:
    ranking = sorted(letters, key=lambda letter: derive_seed(key, letter))
    return {"ranking": ranking[draws.slips("loses_letter") :], "why": "for show"}


def _answer(asked: _Asked, draws: _Draws) -> dict[str, object]:
    called = "Nobody Offers This()" if draws.means("calls_unknown") else _next_call(asked)
    return {"Thought": f"{asked.query} ({len(asked.so_far or ())})", "Action": f"[{called}]"}


def _corrupt_answer(found: dict[str, object], draws: _Draws) -> str:
    if draws.slips("prose"):
        return "I would be glad to help with that."
    if draws.slips("extra_field"):
        found["confidence"] = 0.9
    text = msgspec.json.encode(found).decode()
    return text[: len(text) // 2] if draws.slips("bad_json") else text


def _next_call(asked: _Asked) -> str:
    """Return a call of the first uncalled tool with known required parameters.

    Known parameters are those that the query states as `name: value`, and fields of results with
    their names.
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
    """Return a query that states the known values of the APIs' required parameters."""
    stated = []
    for api in apis:
        parameters = api.get("required_parameters")
        listed = parameters if isinstance(parameters, list) else []
        stated += [f"{each.get('name')}: {each.get('example', number)}" for each in listed]
    return f"Question {number + 1}. {', '.join(stated)}"
