"""Runs become run folders of MM-tau-p2's code: one for each agent, spoken condition and trial."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from dragoman.core.conditions import CLARIFY, MIXED, NONE, TEXT, Condition, condition_text
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import UsageError
from dragoman.core.replies import TextReply
from dragoman.exchange.mm_tau_folders.layout import (
    ASSISTANT,
    HEARD_FILE,
    INTENDED_FILE,
    NOTE,
    TEXT_FILE,
    USER,
    FolderMessage,
    FolderNote,
    written,
)
from dragoman.exchange.placing import place_file
from dragoman.store.run_store import RunStore, StoredCell

FORM = "mm-tau-p2"
"""What `dragoman export --to` calls it."""

_MOST_NAME = 60


class WrittenRunFolder(msgspec.Struct, frozen=True):
    """One folder: how many tasks it has, and how many were left out for want of their text or voice."""

    path: Path
    tasks: int
    left_out: int


_Spoken = tuple[str, Condition, int]
"""Agent, spoken condition and trial."""


def write_run_folders(
    store: RunStore, out: Path, agent: str | None = None
) -> tuple[WrittenRunFolder, ...]:
    """Write the spoken conversations of a run, each beside the same in text.

    Words alone are written, tool calls and results are not: the code would score a message of a tool like the
    message before it. A task that lacks its text or its voice is left out, since the code would set another
    task's conversation in its place.

    Args:
        store: The run.
        out: The folder that gets a folder for each agent, spoken condition and trial.
        agent: Only this agent's; None for all.

    Raises:
        UsageError: Where nobody spoke, or nothing was played in text.
        StoreError: Where a file cannot be written.
    """
    cells = {cell.key: cell for cell in store.cells() if agent in {None, cell.agent}}
    by_place: dict[tuple[str, Condition, int, str], Episode] = {}
    for key, _, episode in store.episodes():
        if key in cells:
            cell = cells[key]
            by_place[cell.agent, cell.condition, cell.trial, cell.task] = episode
    places: dict[_Spoken, dict[str, StoredCell]] = {}
    for cell in cells.values():
        if cell.condition.voice != TEXT:
            place = (cell.agent, cell.condition, cell.trial)
            places.setdefault(place, {})[cell.task] = cell
    if not places:
        raise UsageError(
            f"{store.folder}: nobody spoke: play it with --voice text,telephone, or text,simulated:10"
        )
    texts = {place: _text_of(place[1], by_place, place) for place in places}
    if not any(texts.values()):
        raise UsageError(
            f"{store.folder}: nothing was played in text beside it: --voice text,... plays both"
        )
    return tuple(
        _written(out / _name(number, place), place, found, (texts[place], by_place))
        for number, (place, found) in enumerate(places.items())
        if texts[place] is not None
    )


def _text_of(
    condition: Condition, played: Mapping[tuple[str, Condition, int, str], Episode], place: _Spoken
) -> Condition | None:
    """Return the condition that is the same in text; None where there is none."""
    typed = condition.with_axes(voice=TEXT, recognizer=MIXED)
    conditions = {each for agent, each, _, _ in played if agent == place[0]}
    wanted = (typed.with_axes(**{CLARIFY: NONE}), typed)
    return next((each for each in wanted if each in conditions), None)


def _written(
    folder: Path,
    place: _Spoken,
    cells: Mapping[str, StoredCell],
    found: tuple[Condition | None, Mapping[tuple[str, Condition, int, str], Episode]],
) -> WrittenRunFolder:
    agent, condition, trial = place
    text, played = found
    names: dict[str, str] = {}
    for number, task in enumerate(cells):
        voice = played.get((agent, condition, trial, task))
        typed = None if text is None else _typed(played, agent, text, trial, task)
        if voice is None or typed is None:
            continue
        name = _safe(f"{number:04d}-{task}")
        names[name] = task
        for file, messages in (
            (TEXT_FILE, _messages(typed, heard=False)),
            (INTENDED_FILE, _messages(voice, heard=False)),
            (HEARD_FILE, _messages(voice, heard=True)),
        ):
            _place(folder / name / file, written(tuple(messages)))
    suite = next(iter(cells.values())).suite
    labels = (condition_text(condition), condition_text(text or Condition()))
    note = FolderNote(suite, agent, *labels, trial, names)
    _place(folder / NOTE, msgspec.json.format(msgspec.json.encode(note)))
    return WrittenRunFolder(folder, len(names), len(cells) - len(names))


def _place(path: Path, content: bytes) -> None:
    place_file(path, lambda temporary: _write(temporary, content))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _typed(
    played: Mapping[tuple[str, Condition, int, str], Episode],
    agent: str,
    text: Condition,
    trial: int,
    task: str,
) -> Episode | None:
    """Return the conversation in text, of the same trial where that was played."""
    return played.get((agent, text, trial, task)) or played.get((agent, text, 0, task))


def _messages(episode: Episode, *, heard: bool) -> Iterator[FolderMessage]:
    """Yield what was said: as it was meant, or as it reached the listener."""
    for event in episode.events:
        if isinstance(event, Message) and isinstance(event.reply, TextReply):
            words = event.reply.utterance
            role = ASSISTANT if event.by == "agent" else USER
            received = words.intended if words.received is None else words.received
            yield FolderMessage(role, received if heard else words.intended)


def _name(number: int, place: _Spoken) -> str:
    agent, condition, trial = place
    return _safe(f"{number:02d}-{agent}-{condition.label}-trial-{trial}")


def _safe(text: str) -> str:
    """Return a text as a name of a folder: letters, digits, hyphens and underscores."""
    kept = "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in text)
    return "-".join(filter(None, kept.split("-")))[:_MOST_NAME]
