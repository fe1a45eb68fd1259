"""Answers what datasets of web APIs are made with: queries and ratings, for show, and with mistakes.

A request is a JSON object in the last message; what it has tells what is asked for. Equal requests get
equal answers, but for mistakes, which are drawn anew each time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.keys import content_key, derive_seed
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.testing.answers import Unanswered
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.completions import CannedReply
from dragoman.testing.faults import chance

DIMENSIONS = ("relevance", "practicality", "linguistic_applicability", "clarity", "specificity")


class CuratingMistakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What goes wrong and how often, as shares of requests from 0 to 1.

    Args:
        bad_json: The answer breaks off.
        prose: The answer is prose.
        extra_field: The answer has a field that nobody asked for.
        out_of_range: A score is 6.
        names_api: A query names its API.
    """

    bad_json: float = 0.0
    prose: float = 0.0
    extra_field: float = 0.0
    out_of_range: float = 0.0
    names_api: float = 0.0


class _Asked(msgspec.Struct):
    apis: list[dict[str, object]] = []
    count: int = 0
    query: str = ""


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
        purpose = "queries" if asked.count else "rating"
        self.asked[purpose] += 1
        key = content_key(request.messages[-1].text)
        self._times[key] += 1
        found = self._queries(asked, key) if asked.count else self._rating(key)
        return CannedReply(self._spoiled(found, key))

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


def _query(apis: Sequence[Mapping[str, object]], number: int) -> str:
    """Return a query that states what is known of the APIs' required parameters."""
    stated = []
    for api in apis:
        parameters = api.get("required_parameters")
        listed = parameters if isinstance(parameters, list) else []
        stated += [f"{each.get('name')}: {each.get('example', number)}" for each in listed]
    return f"Question {number + 1}. {', '.join(stated)}"
