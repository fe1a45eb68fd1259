"""Layers compose in their order, and texts that a layer omits stay unchanged."""

import asyncio
from collections.abc import Sequence

import msgspec

from dragoman.conditions.resolved_condition import IDENTITY_CHANNEL, IdentityView, resolve_condition
from dragoman.core.audio import NULL_AUDIO_STORE
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Event, Termination
from dragoman.core.language.localized_values import ENGLISH_VALUES
from dragoman.core.layers import ConversationContext, Layer, StaticInstructions
from dragoman.core.protocols import ToolView
from dragoman.core.replies import Stage, Utterance
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import Role, ToolCall, ToolResult, Toolset
from dragoman.core.usage import Usage
from dragoman.simulation.participants.oracle import SilentAgent

TASK = Task("t", "suite", "digest", Scenario("Call."))
CONTEXT = ConversationContext(TASK, "key", "draw", SilentAgent(), NULL_AUDIO_STORE)


class Before:
    """A conversation that has not begun."""

    events: Sequence[Event] = ()
    steps = errors = 0
    seconds = 0.0


class Marked:
    """A view that adds its mark to the names of calls, and a channel that adds it to words."""

    def __init__(self, mark: str, inner: ToolView | None = None) -> None:
        self._mark = mark
        self._inner = inner or IdentityView()

    def show(self, tools: Toolset) -> Toolset:
        return self._inner.show(tools)

    def canonical(self, call: ToolCall) -> ToolCall:
        marked = msgspec.structs.replace(call, name=call.name + self._mark)
        return self._inner.canonical(marked)

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:
        return self._inner.present(result, call)

    async def carry(self, utterance: Utterance) -> Utterance:
        heard = f"{utterance.received}{self._mark}"
        return Utterance(utterance.intended, heard=heard, stages=(Stage("mark", self._mark),))

    def take_usage(self) -> tuple[Usage, ...]:
        return (Usage(self._mark, "m"),)


def layer(mark: str) -> Layer:
    def with_mark(task: Task) -> Task:
        instructions = f"{task.scenario.instructions}{mark}"
        return msgspec.structs.replace(task, scenario=Scenario(instructions))

    return Layer(
        name=mark,
        identity=f"identity of {mark}",
        record={"mark": mark},
        task=with_mark,
        policy=lambda policy: policy + mark,
        instruction_source=lambda _: StaticInstructions({"agent": f"Told by {mark}."}),
        view=lambda _, inner: Marked(mark, inner),
        channel=lambda _, side: Marked(mark) if side == "user" else None,
        wording=lambda _, wording: msgspec.structs.replace(
            wording, language=wording.language + mark
        ),
        after=lambda _, episode: msgspec.structs.replace(episode, steps=episode.steps + 1),
    )


def test_without_layers_everything_is_plain() -> None:
    plain = resolve_condition(PLAIN, ())
    assert plain.shown(TASK) is TASK
    assert plain.policy("Be kind.") == "Be kind."
    assert plain.wording(TASK) == ENGLISH_VALUES
    assert plain.instruction_source(CONTEXT) is None
    assert set(plain.channels(CONTEXT).values()) == {IDENTITY_CHANNEL}
    assert plain.identities == ()


def test_a_layer_that_says_nothing_changes_nothing() -> None:
    empty = resolve_condition(PLAIN, [Layer("empty", "e")])
    assert empty.shown(TASK) is TASK
    assert empty.policy("Be kind.") == "Be kind."
    assert empty.instruction_source(CONTEXT) is None
    assert set(empty.channels(CONTEXT).values()) == {IDENTITY_CHANNEL}
    assert empty.identities == ("e",)


def test_what_two_layers_change_is_changed_by_one_after_the_other() -> None:
    both = resolve_condition(PLAIN, [layer("-a"), layer("-b")])
    assert both.judged(TASK).scenario.instructions == "Call.-a-b"
    assert both.policy("Be kind.") == "Be kind.-a-b"
    assert both.wording(TASK).language == "en-a-b"
    assert both.identities == ("identity of -a", "identity of -b")
    assert both.records == {"-a": {"mark": "-a"}, "-b": {"mark": "-b"}}
    assert both.after(CONTEXT, Episode((), Termination("user_stop"), 0, 0)).steps == 2
    call = both.views["agent"].canonical(ToolCall("1", "find", {}))
    assert call.name == "find-b-a"


def test_words_go_through_one_channel_and_then_the_next() -> None:
    channels = resolve_condition(PLAIN, [layer("-a"), layer("-b")]).channels(CONTEXT)
    arrived = asyncio.run(channels["user"].carry(Utterance("Hello.")))
    assert (arrived.intended, arrived.received) == ("Hello.", "Hello.-a-b")
    assert [stage.engine for stage in arrived.stages] == ["-a", "-b"]
    assert {usage.purpose for usage in channels["user"].take_usage()} == {"-a", "-b"}
    assert channels["agent"] is IDENTITY_CHANNEL


def test_each_layer_tells_a_paragraph() -> None:
    instruction_source = resolve_condition(PLAIN, [layer("-a"), layer("-b")]).instruction_source(
        CONTEXT
    )
    assert instruction_source is not None
    sides: tuple[Role, ...] = ("agent", "user")
    reported = [asyncio.run(instruction_source.instructions(side, Before())) for side in sides]
    assert reported == ["Told by -a.\n\nTold by -b.", ""]
