"""Decontamination: filters out training examples that overlap with an evaluation.

An example is refused if it is of an evaluated task, calls an evaluated API, has an evaluated
request (word for word or as a near-duplicate, in any language), or makes the same calls that an
evaluated task wants.

Texts are compared by the share of common pieces (Jaccard), without case, marks and blanks. A piece
has five letters, or two in scripts in which one letter says as much as a syllable or a word. A few
other words, another order or other punctuation do not hide an overlap.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.benchmarks.kit.api_tools import native_tool_names
from dragoman.core.apis.itc_answers import ACTION, ANY_SYNTAX, parse_itc_answer
from dragoman.core.content_keys import content_key
from dragoman.core.tasks import Task, fixed_messages
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.registry.suites import load_suite, task_family

_PIECE, _WIDE_PIECE = 5, 2


def plain(text: str) -> str:
    """Return the letters and digits of a text in small ones, in one form."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum() or _is_mark(letter))


def _is_mark(letter: str) -> bool:
    """Return whether a sign belongs to the letter before it: vowels of many scripts do."""
    return unicodedata.category(letter) in {"Mn", "Mc"}


class NearTexts:
    """A search for the near-duplicates of a text.

    Args:
        texts: The texts that others are compared with.
        near: Smallest share of common pieces of near-duplicates.
    """

    def __init__(self, texts: Sequence[str], near: float) -> None:
        self._near = near
        self._pieces = [frozenset(_pieces(text)) for text in texts]
        spread = Counter(piece for pieces in self._pieces for piece in pieces)
        self._with: defaultdict[str, list[int]] = defaultdict(list)
        for at, pieces in enumerate(self._pieces):
            # Two sets that share so much must share one of the rarest pieces of either.
            rare = sorted(pieces, key=lambda piece: (spread[piece], piece))
            for piece in rare[: len(rare) - int(near * len(rare)) + 1]:
                self._with[piece].append(at)

    def nearest(self, text: str) -> tuple[int, float] | None:
        """Return the place of the nearest text and its share; None where none is near."""
        pieces = frozenset(_pieces(text))
        candidates = {at for piece in pieces for at in self._with.get(piece, ())}
        shares = {at: self._share(pieces, self._pieces[at]) for at in candidates}
        near = [(share, -at) for at, share in shares.items() if share >= self._near]
        if not near:
            return None
        share, at = max(near)
        return -at, share

    @staticmethod
    def _share(one: frozenset[str], other: frozenset[str]) -> float:
        together = len(one | other)
        return len(one & other) / together if together else 0.0


def _pieces(text: str) -> Iterator[str]:
    letters = plain(text)
    if 0 < len(letters) <= _PIECE:
        yield letters
    for at, letter in enumerate(letters):
        long = _WIDE_PIECE if unicodedata.east_asian_width(letter) == "W" else _PIECE
        if at + long <= len(letters):
            yield letters[at : at + long]


def apis_of(row: TrainingExample) -> tuple[str, ...]:
    """Return the APIs that a row says it calls, and the functions that it calls."""
    return tuple(dict.fromkeys((*row.origin.apis, *(name for name, _ in calls_of(row)))))


def calls_of(row: TrainingExample) -> list[tuple[str, str]]:
    """Return the calls in a row as names and arguments.

    Calls are native, or are written as thought and action in the row's text.
    """
    found = []
    for message in row.messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list | tuple) else ():
            function = call.get("function", {}) if isinstance(call, dict) else {}
            found.append((str(function.get("name", "")), str(function.get("arguments", "{}"))))
        if message.get("role") == "assistant":
            found += _written_calls(message.get("content"))
    return found


def _written_calls(content: object) -> Iterator[tuple[str, str]]:
    """Yield the calls of an answer in text, by the names that native calls have."""
    is_answer = isinstance(content, str) and ACTION.casefold() in content.casefold()
    answer = parse_itc_answer(str(content), (), ANY_SYNTAX) if is_answer else None
    for call in () if answer is None else answer.calls or ():
        (name,) = native_tool_names([call.tool]).values()
        yield name, msgspec.json.encode(call.arguments).decode()


OverlapKind = Literal["task", "api", "text", "near text", "calls"]

NEAR = 0.7
"""Smallest share of common pieces of two requests that are near-duplicates."""


class EvaluatedTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """The identifying facts of an evaluated task, in one of its languages.

    `calls` are names and arguments as JSON, in any order; `apis` and `digest` as in rows.
    """

    suite: str
    task: str
    request: str
    apis: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    digest: str = ""


class Overlap(msgspec.Struct, frozen=True):
    """Why a row is refused: what it shares with which task.

    `similarity` is 1 but for texts that are nearly the same.
    """

    row: str
    kind: OverlapKind
    suite: str
    task: str
    shared: str
    similarity: float = msgspec.field(default=1.0, name="likeness")


class ContaminationFilter:
    """Knows what is evaluated.

    Args:
        evaluated: The tasks, in all languages that are evaluated.
        forbid_apis: Whether a row may call an API that is evaluated: only where APIs are to be
            unseen.
        near: From which share of common pieces on two requests are nearly the same.
    """

    def __init__(
        self, evaluated: Iterable[EvaluatedTask], *, forbid_apis: bool = True, near: float = NEAR
    ) -> None:
        tasks = list(evaluated)
        self._forbids_apis = forbid_apis
        self._tasks = {(task_family(each.suite), each.task): each for each in tasks}
        self._digests = {each.digest: each for each in tasks if each.digest}
        self._texts = {plain(each.request): each for each in tasks if plain(each.request)}
        self._calls = {_calls_key(each.calls): each for each in tasks if each.calls}
        self._apis: dict[str, EvaluatedTask] = {}
        for each in tasks:
            for api in each.apis:
                self._apis.setdefault(api, each)
        self._near = NearTexts([each.request for each in tasks], near)
        self._listed = tasks

    def leaks(self, row: TrainingExample) -> Iterator[Overlap]:
        """Yield what a row shares with what is evaluated; at most one of each kind."""
        origin = row.origin
        same = self._same_task(origin)
        if same is not None:
            yield _overlap(row, "task", same, f"{origin.suite} {origin.task}")
        made = calls_of(row)
        if self._forbids_apis:
            api = next((name for name in apis_of(row) if name in self._apis), None)
            if api is not None:
                yield _overlap(row, "api", self._apis[api], api)
        text = plain(row.request)
        if text in self._texts:
            yield _overlap(row, "text", self._texts[text], row.request)
        else:
            yield from self._nearly(row)
        wanted = self._calls.get(_calls_key(made)) if made else None
        if wanted is not None:
            yield _overlap(row, "calls", wanted, ", ".join(name for name, _ in made))

    def _same_task(self, origin: ExampleOrigin) -> EvaluatedTask | None:
        """Return the task that a row is of, by whatever name its suite is evaluated."""
        known = self._digests.get(origin.digest)
        if known is not None or not origin.task:
            return known
        return self._tasks.get((task_family(origin.suite), origin.task))

    def _nearly(self, row: TrainingExample) -> Iterator[Overlap]:
        nearest = self._near.nearest(row.request)
        if nearest is not None:
            at, similarity = nearest
            leak = _overlap(row, "near text", self._listed[at], self._listed[at].request)
            yield msgspec.structs.replace(leak, similarity=round(similarity, 3))


def filter_contaminated(
    rows: Sequence[TrainingExample], guard: ContaminationFilter
) -> tuple[list[TrainingExample], dict[str, list[Overlap]]]:
    """Return the rows that share nothing, and by row what others share."""
    leaks: defaultdict[str, list[Overlap]] = defaultdict(list)
    for row in rows:
        for leak in guard.leaks(row):
            leaks[row.id].append(leak)
    return [row for row in rows if row.id not in leaks], dict(leaks)


def _overlap(row: TrainingExample, kind: OverlapKind, task: EvaluatedTask, shared: str) -> Overlap:
    return Overlap(row.id, kind, task.suite, task.task, shared)


def _calls_key(calls: Iterable[tuple[str, str]]) -> str:
    return content_key(sorted((name, _sorted_json(arguments)) for name, arguments in calls))


def _sorted_json(arguments: str) -> str:
    try:
        value = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        return arguments
    return msgspec.json.encode(value, order="deterministic").decode()


def evaluated_tasks(suites: Sequence[str]) -> list[EvaluatedTask]:
    """Return the identifying facts of the tasks of suites.

    Raises:
        UsageError: If a suite does not exist.
        DataError: If its data are missing or damaged.
    """
    return [each for name in suites for each in _of_suite(name)]


def _of_suite(name: str) -> Iterator[EvaluatedTask]:
    suite = load_suite(name)
    for task in suite.tasks:
        calls = tuple(_calls(task))
        request = "\n".join(text for _, _, text in fixed_messages(task)) or task.wanted
        yield EvaluatedTask(
            suite.name,
            task.id,
            request,
            tuple(dict.fromkeys(name for name, _ in calls)),
            calls,
            task.digest,
        )


def _calls(task: Task) -> Iterator[tuple[str, str]]:
    for action in () if task.criteria is None else task.criteria.actions or ():
        if action.by == "agent":
            yield action.name, msgspec.json.encode(action.arguments).decode()
