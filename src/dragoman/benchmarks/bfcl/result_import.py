"""Import of BFCL result files as runs; verdicts are computed here, not read from files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.benchmarks.bfcl.agentic_entries import AGENTIC
from dragoman.benchmarks.bfcl.categories import GROUPS, TURN_GROUPS, load_downloaded_suite
from dragoman.benchmarks.bfcl.multi_turn_entries import MULTI_TURN
from dragoman.benchmarks.bfcl.multi_turn_suite import MultiTurnSuite
from dragoman.benchmarks.bfcl.result_files import ResultFile, ResultLine, read_failures, read_lines
from dragoman.benchmarks.bfcl.single_turn_entries import SINGLE_TURN, UNANSWERED
from dragoman.benchmarks.bfcl.single_turn_suite import SingleTurnSuite
from dragoman.benchmarks.bfcl.stored_replies import (
    TEXT_FORMS,
    Replies,
    ReplyReading,
    SingleReplies,
    TurnReplies,
    detect_reply_format,
)
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import DataError
from dragoman.core.protocols import Suite
from dragoman.core.replies import ToolCallReply
from dragoman.core.result_files import ImportedCell, ImportedRun
from dragoman.core.rules import BFCL_RULES
from dragoman.core.scores import IMPORTED, Score, Scored
from dragoman.core.tasks import Task

_VERSION = "imported-bfcl-1"
_PREREQUISITE = "_prereq"


class FileReading(msgspec.Struct, frozen=True):
    """In how many of a category's replies calls could be read."""

    category: str
    replies: int
    read: int

    @property
    def is_mostly_unreadable(self) -> bool:
        """Whether most replies hold no calls that were read, though calls are asked for."""
        asks = self.category not in UNANSWERED
        return asks and 2 * self.read < self.replies


class ModelReading(msgspec.Struct, frozen=True):
    """The form in which a model's replies were read, and how many speak for which form."""

    model: str
    form: str
    spoken_for: Mapping[str, int]
    files: tuple[FileReading, ...]


class ImportReport(msgspec.Struct, frozen=True):
    """Report of an import: the conversations, their reading, and the excluded categories.

    `verdicts` counts conversations with upstream's verdict. `unfitting_scores` names score files
    that have another number of entries than the results.
    """

    conversations: int
    infrastructure_errors: int
    left_out: tuple[str, ...]
    models: tuple[ModelReading, ...]
    verdicts: int = 0
    unfitting_scores: tuple[str, ...] = ()


class _Played(msgspec.Struct, frozen=True):
    agent: str
    task: Task
    line: ResultLine
    episode: Episode


def read_run(
    files: Sequence[ResultFile],
    data: Path,
    form: str | None = None,
    scores: Sequence[ResultFile] = (),
) -> ImportedRun:
    """Read result files; answers are matched to entries by id.

    Args:
        files: The files, of one model or several.
        data: The folder of pulled data.
        form: The form of models' texts (see `TEXT_FORMS`); None detects it from the texts.
        scores: Files with upstream's verdicts, of the same models and categories or others.

    Raises:
        DataError: If a file is damaged, has an entry twice or an unknown entry, or if BFCL's data
            are not pulled.
        UsageError: If the form does not exist.
    """
    chosen, left_out = _together(files)
    suite = load_downloaded_suite(_group({file.category for file in chosen}), data)
    replies = _replies(suite)
    played: list[_Played] = []
    models = []
    for model in dict.fromkeys(file.model for file in chosen):
        lines = _lines([file for file in chosen if file.model == model], replies.tasks)
        asked = [
            each for name, line in lines.items() for each in replies.answered(name, line.result)
        ]
        reading = detect_reply_format(asked, model, form)
        found = [_build_played_line(model, replies, line, reading.form) for line in lines.values()]
        models.append(_model_reading(model, reading, found))
        played += found
    faults = sum(entry.episode.is_fault for entry in played)
    verdicts, unfitting = _verdicts(scores, played)
    imported = ImportReport(len(played), faults, left_out, tuple(models), len(verdicts), unfitting)
    ids = tuple(dict.fromkeys(entry.task.id for entry in played))
    return ImportedRun(
        suite=suite.name,
        agents=tuple(dict.fromkeys(entry.agent for entry in played)),
        rules=BFCL_RULES.name,
        provenance=suite.provenance,
        cells=[_cell(entry, suite) for entry in played],
        tasks={entry.task.id: entry.task for entry in played},
        conversations=lambda: (
            (entry.episode, verdicts.get((entry.agent, entry.task.id))) for entry in played
        ),
        report=imported,
        description=tuple(map(_describe_call_form, models)),
        notes=tuple(_notes(imported)),
        warnings=tuple(
            _unreadable(model, file)
            for model in models
            for file in model.files
            if file.is_mostly_unreadable
        ),
        has_verdicts=bool(verdicts),
        chosen=() if len(ids) == len(suite.tasks) else ids,
    )


def _notes(imported: ImportReport) -> Iterator[str]:
    if imported.infrastructure_errors:
        yield (
            "ended by infrastructure, as the model was not reached: "
            f"{imported.infrastructure_errors}"
        )
    for name in imported.unfitting_scores:
        yield f"{name}: excluded, because its verdicts are of other entries than the results"
    kept, refused = _sorted_out(imported.left_out)
    if kept:
        yield f"excluded: {', '.join(kept)}: no one suite has these and the others"
    if refused:
        yield f"excluded: {_refusal(refused)}"


def _describe_call_form(model: ModelReading) -> str:
    """Return a line on the form in which a model's calls were read."""
    counts = ", ".join(f"{name} in {count}" for name, count in model.spoken_for.items())
    found = f" (replies: {counts})" if counts else ""
    # Upstream's default handler reads code alone; its verdicts are about these calls.
    upstream = (
        ""
        if model.form not in TEXT_FORMS or model.form == "python"
        else ("; --format python reads them as bfcl-eval's default handler does")
    )
    return f"{model.model}: calls read as {model.form}{found}{upstream}"


def _unreadable(model: ModelReading, file: FileReading) -> str:
    return (
        f"{model.model}, {file.category}: no calls could be read as {model.form} in "
        f"{file.replies - file.read} of {file.replies} replies: figures would say nothing of the "
        "model; choose another --format"
    )


def _group(categories: set[str]) -> str:
    """Return the smallest suite that has these categories."""
    if len(categories) == 1:
        return min(categories)
    groups = {**GROUPS, **TURN_GROUPS}
    fitting = [name for name, names in groups.items() if categories <= set(names)]
    if not fitting:
        raise DataError(f"{', '.join(sorted(categories))}: import these one by one")
    return min(fitting, key=lambda name: len(groups[name]))


def _verdicts(
    scores: Sequence[ResultFile], played: Sequence[_Played]
) -> tuple[dict[tuple[str, str], Score], tuple[str, ...]]:
    """Return upstream's verdicts by agent and task, and the files that do not fit the results."""
    names: dict[tuple[str, str], list[str]] = {}
    for entry in played:
        names.setdefault((entry.agent, entry.task.suite), []).append(entry.task.id)
    verdicts: dict[tuple[str, str], Score] = {}
    unfitting = []
    for file in scores:
        known = names.get((file.model, f"bfcl:{file.category}"))
        if known is None:
            continue
        total, failed = read_failures(file)
        if total != len(known) or not failed <= set(known):
            unfitting.append(str(file.path))
            continue
        for name in known:
            reward = Scored(float(name not in failed))
            verdicts[file.model, name] = Score(IMPORTED, IMPORTED, reward, ())
    return verdicts, tuple(unfitting)


def _together(files: Sequence[ResultFile]) -> tuple[list[ResultFile], tuple[str, ...]]:
    """Return the files that are imported as one run, and the categories that are not.

    Single-turn questions and multi-turn conversations do not form one suite; the questions take
    precedence.
    """
    for categories in (SINGLE_TURN, MULTI_TURN):
        chosen = [file for file in files if file.category in categories]
        if chosen:
            left_out = {file.category for file in files if file.category not in categories}
            return chosen, tuple(sorted(left_out))
    raise DataError(f"{files[0].path}: {_refusal(sorted({file.category for file in files}))}")


def _sorted_out(categories: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the categories that can be imported by themselves, and those that cannot be at all."""
    can_be = {*SINGLE_TURN, *MULTI_TURN}
    listed = sorted(categories)
    return [name for name in listed if name in can_be], [
        name for name in listed if name not in can_be
    ]


def _refusal(categories: Sequence[str]) -> str:
    """Return why results of categories cannot be imported, by kind."""
    agentic = [name for name in categories if name.removesuffix(_PREREQUISITE) in AGENTIC]
    others = [name for name in categories if name not in agentic]
    reasons = []
    if agentic:
        reasons.append(
            f"results of {', '.join(agentic)} cannot be imported: what the memory held or the web "
            "answered is in no result file, so that the calls cannot be executed again"
        )
    if others:
        reasons.append(f"{', '.join(others)}: no category of BFCL v4")
    return "; ".join(reasons)


def _replies(suite: Suite) -> Replies:
    if isinstance(suite, MultiTurnSuite):
        return TurnReplies(suite.entries, suite.long)
    if isinstance(suite, SingleTurnSuite):
        return SingleReplies(suite.entries)
    raise DataError(f"{suite.name}: its results cannot be imported")


def _build_played_line(model: str, replies: Replies, line: ResultLine, form: str) -> _Played:
    episode = msgspec.structs.replace(
        replies.episode(line.id, line.result, form),
        usage=(line.usage,),
        seconds=line.usage.seconds,
        source=line.source,
    )
    return _Played(model, replies.tasks[line.id], line, episode)


def _model_reading(model: str, reading: ReplyReading, played: Sequence[_Played]) -> ModelReading:
    counts: dict[str, list[bool]] = {}
    for entry in played:
        if not entry.episode.is_fault:
            category = entry.task.suite.partition(":")[2]
            counts.setdefault(category, []).append(_has_calls(entry))
    files = tuple(FileReading(name, len(read), sum(read)) for name, read in counts.items())
    return ModelReading(model, reading.form, reading.spoken_for, files)


def _has_calls(played: _Played) -> bool:
    """Return whether calls could be read in a conversation, other than in its history."""
    own = played.episode.events[len(played.task.history) :]
    return any(
        isinstance(event, Message) and isinstance(event.reply, ToolCallReply) for event in own
    )


def _lines(files: Sequence[ResultFile], entries: Mapping[str, Task]) -> dict[str, ResultLine]:
    """Return a model's lines by entry."""
    lines: dict[str, ResultLine] = {}
    for file in files:
        found = read_lines(file)
        _require_whole(file, found, entries)
        for line in found:
            if line.id not in entries or line.id in lines:
                what = "twice" if line.id in lines else "no entry of BFCL"
                raise DataError(f"{file.path}: {line.id!r:.80}: {what}")
            lines[line.id] = line
    return lines


def _require_whole(
    file: ResultFile, lines: Sequence[ResultLine], entries: Mapping[str, Task]
) -> None:
    """Refuse lines without ids unless there is one for each of a category's entries."""
    size = sum(task.suite == f"bfcl:{file.category}" for task in entries.values())
    if any(line.is_placed for line in lines) and len(lines) != size:
        raise DataError(
            f"{file.path}: lines without ids, {len(lines)} for {size} entries: it cannot be told "
            "which "
            "is which"
        )


def _cell(played: _Played, suite: Suite) -> ImportedCell:
    task = played.task
    key = content_key(
        _VERSION, task.suite, task.digest, played.agent, played.line.source, suite.provenance.digest
    )
    return ImportedCell(key, task.suite, played.agent, task.id, 0)
