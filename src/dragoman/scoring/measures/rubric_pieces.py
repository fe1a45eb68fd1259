"""What a judge is shown at once, and asked about it: a conversation, a reply with what came before, all replies."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dragoman.core.episodes import Event, Move
from dragoman.core.measures import PlayedCase
from dragoman.core.speech import Said
from dragoman.scoring.judge_texts import inert, shown_lines, transcript
from dragoman.scoring.measures.rubrics import JUDGED, Over, Rubric, RubricQuestion


class RubricPiece(NamedTuple):
    """What is shown at once.

    Attributes:
        events: What is shown.
        position: The place of the reply that is judged; None for more than one, or the whole.
        turns: The places of the replies that are judged one by one; empty for one answer.
        questions: What is asked of it.
        judged: Under which name it is counted that it was judged.
    """

    events: Sequence[Event]
    position: int | None = None
    turns: tuple[int, ...] = ()
    questions: tuple[RubricQuestion, ...] = ()
    judged: str = JUDGED

    @property
    def places(self) -> tuple[int | None, ...]:
        """Where answers belong."""
        return self.turns or (self.position,)


def pieces(rubric: Rubric, case: PlayedCase) -> Iterator[RubricPiece]:
    """Yield what a rubric has judged of a conversation."""
    for over, questions in rubric.parts.items():
        for piece in _pieces(over, rubric, case):
            yield piece._replace(questions=questions, judged=rubric.judged(over))


def _pieces(over: Over, rubric: Rubric, case: PlayedCase) -> Iterator[RubricPiece]:
    events = case.episode.events
    if over == "conversation":
        yield RubricPiece(events)
        return
    side = over.split(" ", maxsplit=1)[0]
    begin = len(case.task.history)
    turns = tuple(
        position
        for position, event in enumerate(events)
        if position >= begin and _is_reply(event, side)
    )
    if rubric.shows == "before":
        yield from (RubricPiece(events[: position + 1], position) for position in turns)
    elif turns:
        yield RubricPiece(events, turns=turns)


def asked_about(piece: RubricPiece) -> str:
    """Return what a judge is shown and asked of a piece."""
    asked = "\n".join(f"{each.name} ({_kind(each)}): {each.text}" for each in piece.questions)
    shown = (
        marked_transcript(piece.events, piece.turns)
        if piece.turns
        else inert(transcript(piece.events))
    )
    return f"<conversation>\n{shown}\n</conversation>\n{_what(piece)}\n<questions>\n{asked}\n</questions>"


def _what(piece: RubricPiece) -> str:
    if piece.turns:
        return f"Judge the turns {', '.join(map(str, piece.turns))}, each from what came before it."
    if piece.position is None:
        return "Judge the whole conversation."
    return "Judge the last reply in it, from what came before."


def marked_transcript(events: Sequence[Event], turns: Collection[int]) -> str:
    """Return what a judge is shown of a conversation, with the places of these turns in it."""
    lines = []
    for position, event in enumerate(events):
        mark = f"[turn {position}] " if position in turns else ""
        lines += [f"{mark}{inert(line.head + line.text)}" for line in shown_lines((event,))]
    return "\n".join(lines)


def _kind(question: RubricQuestion) -> str:
    """Return what a question is answered by, as a judge is told."""
    whose = f" of the {question.said_by}" if question.said_by else ""
    return f"{question.type}, with a quote{whose}" if question.quote else question.type


def _is_reply(event: Event, side: str) -> bool:
    """Whether a side said something of its own."""
    if not isinstance(event, Move) or event.by != side or event.scripted:
        return False
    return isinstance(event.reply, Said)
