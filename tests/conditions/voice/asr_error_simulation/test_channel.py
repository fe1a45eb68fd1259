"""The channel without audio."""

import asyncio

import msgspec

from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
from dragoman.conditions.voice.channel import SIMULATED, SimulatedChannel, SimulatedPath
from dragoman.core.protocols import Channel
from dragoman.core.replies import Utterance

SAID = "Please cancel order W2378156, my e-mail is mia.garcia27@example.com. ###STOP###"


def carried(rate: float, seed: int, count: int = 1) -> list[Utterance]:
    path = SimulatedPath("en", ErrorSimulator(), rate)
    channel: Channel = SimulatedChannel(path, seed)

    async def carry() -> list[Utterance]:
        return [await channel.carry(Utterance(SAID)) for _ in range(count)]

    return asyncio.run(carry())


def test_values_arrive_where_nothing_is_misrecognized() -> None:
    (utterance,) = carried(0.0, 1)
    assert utterance.intended == SAID
    assert "W2378156" in str(utterance.received)
    assert "mia.garcia27@example.com" in str(utterance.received)
    assert "STOP" not in str(utterance.received)


def test_every_stage_is_labelled_as_simulated() -> None:
    (utterance,) = carried(0.3, 1)
    (stage,) = utterance.stages
    assert stage.name == SIMULATED
    assert stage.engine == "simulated:en:0.3"
    assert stage.settings["simulated"] is True
    assert stage.settings["edits"]
    assert utterance.audio is None
    assert utterance.clean_audio is None


def test_a_record_keeps_the_stage() -> None:
    (utterance,) = carried(0.3, 1)
    assert msgspec.json.decode(msgspec.json.encode(utterance), type=Utterance) == utterance


def test_the_same_seed_is_misrecognized_alike_and_each_utterance_by_itself() -> None:
    first, second = carried(0.4, 7, count=2)
    assert carried(0.4, 7, count=2) == [first, second]
    assert first.heard != second.heard


def test_nothing_is_consumed() -> None:
    path = SimulatedPath("vi", ErrorSimulator(), 0.1)
    assert SimulatedChannel(path, 1).take_usage() == ()
    assert path.identity.startswith("simulated:vi:0.1:")
