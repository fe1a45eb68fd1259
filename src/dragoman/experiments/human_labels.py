"""Human labels of conversations: spreadsheets, and labels in tau2-bench result files.

Three places of a result file are combined: `labels` of a message (a name, names, or numbers by
name), `labels` of a simulation (numbers by name, or the turns by name), and `turns` in these (names
by turn).
"""

import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from dragoman.analysis.judge_accuracy import WHOLE, JudgedItem
from dragoman.config.environment import data_folder
from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.result_files import LabelledConversation
from dragoman.core.texts.csv_text import detect_delimiter, escape_cell, unescape_cell
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.formats.result_files import reader_of
from dragoman.store.run_plan import StoredCell

COLUMNS = ("cell", "task", "trial", "condition", "agent", "position", "said", "question", "value")
"""Of the table; `cell`, `position`, `question` and `value` are read, the others are for people."""

MAX_BYTES = 200_000_000
_YES, _NO = frozenset({"true", "yes"}), frozenset({"false", "no"})
_MOST_DIGITS = 6


class ItemToLabel(NamedTuple):
    """One row: what is asked, where it stands, and the words that it is about."""

    item: JudgedItem
    cell: StoredCell
    said: str


def read_labels(path: Path) -> dict[JudgedItem, int]:
    """Return the labels of people by item; rows without a value are skipped.

    Raises:
        DataError: If the file is not such a table, a value is not valid, or an item is labelled
            twice.
    """
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: larger than {MAX_BYTES} bytes: not a file of labels")
        text = path.read_text("utf-8-sig")
    labels: dict[JudgedItem, int] = {}
    for where, row in _rows(text, path):
        if not row["value"].strip():
            continue
        item = JudgedItem(row["cell"], _position(row.get("position", ""), where), row["question"])
        if item in labels:
            raise DataError(
                f"{where}: {item.question!r:.60} of {item.cell!r:.60} is labelled twice"
            )
        labels[item] = _value(row["value"], where)
    return labels


def write_template(rows: Sequence[ItemToLabel], path: Path) -> None:
    """Write the table with empty values.

    Raises:
        UsageError: If the file already exists.
        StoreError: If it cannot be written.
    """
    buffer = io.StringIO(newline="")
    table = csv.writer(buffer)
    table.writerow(COLUMNS)
    for item, cell, said in rows:
        place = "" if item.position == WHOLE else str(item.position)
        reported = (cell.key, cell.task, str(cell.trial), cell.condition.label, cell.agent, place)
        table.writerow(map(escape_cell, (*reported, said, item.question, "")))
    if path.exists():
        raise UsageError(f"{path} already exists: name another file")
    with TranslatedErrors(StoreError, f"{path}: cannot be written"):
        path.write_text(buffer.getvalue(), encoding="utf-8-sig", newline="")


def _rows(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    given = detect_delimiter(text, COLUMNS)
    reader = csv.reader(io.StringIO(given.text, newline=""), delimiter=given.delimiter)
    try:
        names = [name.strip() for name in next(reader, [])]
        for name in ("cell", "question", "value"):
            if name not in names:
                raise DataError(f"{path}: no column {name!r}: `judge-check --template` writes them")
        for cells in reader:
            padded = [*map(unescape_cell, cells), *[""] * (len(names) - len(cells))]
            yield (
                f"{path}, line {reader.line_num + given.lines_above}",
                dict(zip(names, padded, strict=False)),
            )
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num + given.lines_above}: {error}") from error


def _position(written: str, where: str) -> int:
    return WHOLE if not written.strip() else _number(written, where, "the place of a reply")


def _value(written: str, where: str) -> int:
    word = written.strip().casefold()
    if word in _YES | _NO:
        return int(word in _YES)
    return _number(written, where, "yes, no or a whole number")


def _number(written: str, where: str, wanted: str) -> int:
    digits = written.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        raise DataError(f"{where}: {written!r:.60} is not {wanted}")
    return int(digits)


MAX_COUNT = 10_000
_HEAD = 100
_TURN = re.compile(r"[0-9]{1,6}")
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*")
_TURN_KEYS = ("turn", "turn_idx", "position")


class KnownLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A label that people may give, and the measure that counts it.

    Attributes:
        measure: The measure that counts the label.
        counts: The measure's name for the label.
        less: Name of the count that is subtracted.
        undecided: Name of the count that may be subtracted or not.
        names: Other names of the label.
        question: The question of the MM-tau-p2 rubric that asks for the label; "" for none.
    """

    measure: str
    counts: str
    less: str = ""
    undecided: str = ""
    names: tuple[str, ...] = ()
    question: str = ""


class Labels(msgspec.Struct, frozen=True):
    """Labels of one conversation.

    Attributes:
        counts: Numbers of occurrences by label.
        turns: The places of the messages by label, if the labels state them.
    """

    counts: Mapping[str, int]
    turns: Mapping[str, Counter[int]]


@cache
def known_labels() -> Mapping[str, KnownLabel]:
    """Return what may be labelled, by its name."""
    content = (files("dragoman.experiments") / "conversation_labels.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(content), dict[str, KnownLabel])


class _Message(msgspec.Struct):
    turn_idx: int | None = None
    labels: object = None


class _Simulation(msgspec.Struct):
    messages: Annotated[list[_Message], msgspec.Meta(max_length=100_000)] | None = None
    labels: object = None
    language: str | None = None


class _WrittenLabel(msgspec.Struct, frozen=True):
    """One label as it was written: its turn, and None for one of the whole conversation."""

    label: str
    count: int
    turn: int | None


def is_labelled_file(path: Path) -> bool:
    """Return whether a file of labels is a result file, and no table."""
    if path.is_dir():
        return True
    with TranslatedErrors(DataError, f"{path}: cannot be read"), path.open("rb") as file:
        return file.read(_HEAD).lstrip().startswith(b"{")


def judged_labels(path: Path) -> dict[JudgedItem, int]:
    """Return labels of conversations that the MM-tau-p2 rubric also asks for, by item.

    Conversations have the keys that an import of the file gives them.

    Raises:
        DataError: If the file is damaged or contradicts itself, or labels cannot be read.
    """
    read = reader_of(path).read_results(path, data_folder(), None)
    conversations = zip(read.cells, read.conversations(), strict=True)
    reported = {
        cell.key: labels
        for cell, (episode, _) in conversations
        if (
            labels := read_labels_of(
                LabelledConversation(cell.key, read.tasks[cell.task], episode), path
            )[0]
        )
        is not None
    }
    every = {label for labels in reported.values() for label in labels.counts}
    return {
        JudgedItem(cell, WHOLE, known_labels()[label].question): labels.counts.get(label, 0)
        for cell, labels in reported.items()
        for label in every
        if known_labels()[label].question
    }


def read_labels_of(record: LabelledConversation, path: Path) -> tuple[Labels | None, str]:
    """Return the labels in a conversation's record and the language of its user.

    The labels are None if the record does not have any.

    Raises:
        DataError: Naming the conversation and what is wrong with its labels.
    """
    where = f"{path}: simulation {record.id}"
    source = record.episode.source
    with TranslatedErrors(DataError, f"{where}: its labels are damaged"):
        simulation = msgspec.json.decode(
            b"{}" if source is msgspec.UNSET else source, type=_Simulation
        )
    messages = simulation.messages or []
    places = {
        place if message.turn_idx is None else message.turn_idx: place
        for place, message in enumerate(messages)
    }
    reported = [each for at, one in enumerate(messages) for each in _of_turn(one.labels, at, where)]
    reported += _iter_message_labels(simulation.labels, places, where)
    is_labelled = simulation.labels is not None or any(one.labels is not None for one in messages)
    language = _LANGUAGE.fullmatch(simulation.language or "en")
    if language is None:
        raise DataError(f"{where}: {simulation.language!r:.60} is not a language code")
    return (_together(reported, where) if is_labelled else None), language[1].lower()


def _together(reported: list[_WrittenLabel], where: str) -> Labels:
    turns: dict[str, Counter[int]] = {}
    totals: dict[str, int] = {}
    for each in reported:
        if each.turn is not None:
            turns.setdefault(each.label, Counter())[each.turn] += each.count
        elif totals.setdefault(each.label, each.count) != each.count:
            raise DataError(f"{where}: {each.label} are counted twice, and differently")
    for label, by_turn in turns.items():
        if totals.get(label, by_turn.total()) != by_turn.total():
            raise DataError(
                f"{where}: {totals[label]} {label} are counted, and turns have {by_turn.total()}"
            )
    counts = totals | {label: by_turn.total() for label, by_turn in turns.items()}
    return Labels(counts, turns)


def _of_turn(labels: object, turn: int, where: str) -> Iterator[_WrittenLabel]:
    """Yield the labels of one message: a name, names, or numbers by name."""
    match labels:
        case None:
            return
        case str():
            yield _WrittenLabel(_name(labels, where), 1, turn)
        case list():
            for name in labels:
                yield _WrittenLabel(_name(name, where), 1, turn)
        case dict():
            for name, count in labels.items():
                yield _WrittenLabel(_name(name, where), _count(count, name, where), turn)
        case _:
            raise DataError(
                f"{where}: message {turn} has labels that are neither names nor numbers"
            )


def _iter_message_labels(
    labels: object, places: Mapping[int, int], where: str
) -> Iterator[_WrittenLabel]:
    """Yield the labels that are stored next to the messages: by name, or turn by turn."""
    if labels is None:
        return
    if isinstance(labels, list):
        yield from _by_turn(labels, places, where)
        return
    if not isinstance(labels, dict):
        raise DataError(f"{where}: `labels` is neither an object nor a list")
    for name, value in labels.items():
        if name in {"turns", "by_turn"}:
            yield from _by_turn(value, places, where)
        elif name in {"counts", "totals"}:
            yield from _iter_message_labels(value, places, where)
        elif isinstance(value, list):
            label = _name(name, where)
            yield from (_WrittenLabel(label, 1, _place(turn, places, where)) for turn in value)
            # No turn at all is a count too.
            yield _WrittenLabel(label, len(value), None)
        else:
            yield _WrittenLabel(_name(name, where), _count(value, name, where), None)


def _by_turn(labels: object, places: Mapping[int, int], where: str) -> Iterator[_WrittenLabel]:
    """Yield labels by turn.

    The accepted forms are `{"4": ["repetition"]}` and `[{"turn": 4, "labels":
    ["repetition"]}]`.
    """
    if isinstance(labels, dict):
        for turn, names in labels.items():
            number = int(turn) if _TURN.fullmatch(turn) else turn
            yield from _of_turn(names, _place(number, places, where), where)
    elif isinstance(labels, list):
        for entry in labels:
            turn = (
                next((entry[key] for key in _TURN_KEYS if key in entry), None)
                if isinstance(entry, dict)
                else None
            )
            if not isinstance(entry, dict) or turn is None:
                raise DataError(f'{where}: labels by turn are objects with "turn" and "labels"')
            names = entry.get("labels", entry.get("label"))
            yield from _of_turn(names, _place(turn, places, where), where)
    else:
        raise DataError(f"{where}: labels by turn are an object or a list")


def _place(turn: object, places: Mapping[int, int], where: str) -> int:
    if not isinstance(turn, int) or isinstance(turn, bool) or turn not in places:
        raise DataError(f"{where}: turn {turn!r:.60} does not exist")
    return places[turn]


def _count(value: object, name: object, where: str) -> int:
    if isinstance(value, int) and 0 <= value <= MAX_COUNT:
        return int(value)
    raise DataError(f"{where}: {name!r:.60} is {value!r:.60}, which is not a count")


def _name(written: object, where: str) -> str:
    name = (
        written.strip().casefold().replace("-", "_").replace(" ", "_")
        if isinstance(written, str)
        else ""
    )
    label = _by_any_name().get(name)
    if label is None:
        raise DataError(
            f"{where}: unknown label {written!r:.60}: there are {', '.join(known_labels())}"
        )
    return label


@cache
def _by_any_name() -> Mapping[str, str]:
    return {
        name: label for label, known in known_labels().items() for name in (label, *known.names)
    }
