"""Values that may be confirmed in recorded messages."""

from collections.abc import Mapping, Sequence

from dragoman.conditions.clarification.turn_protocol import RecordedWhitelists
from dragoman.core.audio import Audio
from dragoman.core.recordings import RecordedMessage
from dragoman.core.replies import AudioRef
from dragoman.core.tasks import Action, Criteria, Scenario, Task

TASK = Task(
    "t",
    "cities",
    "digest",
    Scenario("Fly."),
    Criteria(("CALLS",), (Action("1", "fly", {"to": "Oslo", "name": "Liam"}),)),
)


def message(turn: int, place: int, text: str, whitelist: Mapping[str, str]) -> RecordedMessage:
    return RecordedMessage("cities", "t", turn, place, text, text, None, (), {}, whitelist)


class Kept:
    """Recordings of one task."""

    digest = "kept"
    recognizers: Sequence[str] = ()
    speakers: Sequence[str] = ()
    line = ""
    normalizer = ""
    tasks = ("t",)

    def of(self, task: str) -> Sequence[RecordedMessage]:
        return (
            (
                message(0, 0, "To Oslo.", {"city": "Oslo"}),
                message(0, 1, "Or Rome.", {"city": "Rome"}),
                message(1, 0, "To Oslo.", {}),
            )
            if task == "t"
            else ()
        )

    def sound(self, audio: AudioRef) -> Audio:
        raise AssertionError(audio)


def test_the_whitelists_of_a_turn_s_messages_are_one_with_a_name_for_each_value() -> None:
    of = RecordedWhitelists(Kept())
    assert of(TASK, 0, ["To Oslo."]) == {"city": "Oslo"}
    assert of(TASK, 0, ["To Oslo.", "Or Rome."]) == {"city": "Oslo", "city_2": "Rome"}
    assert of(TASK, 1, ["To Oslo."]) == {}


def test_what_is_said_beside_what_was_recorded_goes_by_the_planned_calls() -> None:
    of = RecordedWhitelists(Kept())
    assert of(TASK, 0, ["To Oslo.", "My name is Liam."]) == {"city": "Oslo", "name": "Liam"}
    assert of(TASK, 0, ["I am Liam, to Oslo."]) == {"to": "Oslo", "name": "Liam"}
