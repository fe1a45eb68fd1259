"""Utterances as items of a crew's work: what is said and heard in other processes and on other machines.

Sounds come back as samples: the command's own process is the only one that writes to the set.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec

from dragoman.composition.concurrency import timeouts_of
from dragoman.core.audio import Audio
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DragomanError, ParticipantError, RunHalted, UsageError
from dragoman.core.usage import Usage
from dragoman.curation.speech.audio.engines import AudioRequest, SetEngines
from dragoman.curation.speech.audio.performing import (
    Performers,
    SoundMade,
    WordsHeard,
    performing_here,
)
from dragoman.distributed.worker_pool import (
    KilledWorkersError,
    OpenPool,
    TaskFn,
    WorkerBrokeError,
    WorkerSpec,
    WorkerTimeouts,
    module_path,
)
from dragoman.models.budget import Budget, RecordingSpendTracker
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import SpeechEngines
from dragoman.registry.suites import load_suite

OPENER = f"{__name__}:performed_there"

PATIENCE = WorkerTimeouts(silence=120.0, item=3_600.0)
"""One utterance may wait for the language model of all suites, or for an endpoint that refuses."""


class SpeechWork(msgspec.Struct, frozen=True):
    """All that another process needs to speak and hear for a set, as data.

    Attributes:
        suites: The suites whose words are expected.
        speech: Who speaks and hears.
        language: What is spoken.
        seed: The set's.
        sharers: How many processes share the cores of a machine.
        same: The hash of what has to be the same there: data and engines.
        read_timeout: Seconds a server may be silent during a call; None for what fits its address.
    """

    suites: tuple[str, ...]
    speech: AudioRequest
    language: str
    seed: int
    sharers: int
    same: str
    read_timeout: float | None = None


class SayOrder(msgspec.Struct, frozen=True, tag="say"):
    """Words that are to be said."""

    said: str


class HearOrder(msgspec.Struct, frozen=True, tag="hear"):
    """What a recognizer is given: audio, or words where it is simulated."""

    name: str
    audio: Audio | None
    said: str = ""


class SpeechRefusal(msgspec.Struct, frozen=True):
    """Why there is nothing, by the kind of its error."""

    kind: str
    why: str
    usage: Usage | None = None


class Performed(msgspec.Struct, frozen=True):
    """What came of an order.

    Attributes:
        sound: What was said.
        heard: What was heard.
        refusal: Why neither came.
        spent: What a budget has to know, whatever order it was for.
    """

    sound: SoundMade | None = None
    heard: WordsHeard | None = None
    refusal: SpeechRefusal | None = None
    spent: tuple[Usage, ...] = ()


_ENDS: dict[str, type[DragomanError]] = {
    kind.__name__: kind for kind in (ParticipantError, RunHalted, UsageError)
}
_encode = msgspec.msgpack.Encoder().encode
_asked = msgspec.msgpack.Decoder(SayOrder | HearOrder).decode
_performed = msgspec.msgpack.Decoder(Performed).decode
_T = TypeVar("_T")


def identity_of(engines: SetEngines, suites: object) -> str:
    """Return the hash of what decides what is said and heard: engines, and the data of suites."""
    return content_key(engines.made, suites)


@asynccontextmanager
async def performing_elsewhere(
    open_crew: OpenPool, work: SpeechWork, budget: Budget | None
) -> AsyncIterator[Performers]:
    """Return those who speak and hear in a crew, until left.

    A budget is asked before each utterance is sent, and told when one is back.
    """
    async with open_crew(WorkerSpec(OPENER, _encode(work), module_path())) as do:

        async def performed(order: SayOrder | HearOrder) -> Performed:
            if budget is not None:
                budget.check()
            try:
                came = _performed(await do(_encode(order)))
            except (KilledWorkersError, WorkerBrokeError) as error:
                raise ParticipantError(str(error)) from error
            if budget is not None:
                for usage in came.spent:
                    budget.spend(usage)
            if came.refusal is not None:
                raise _error(came.refusal)
            return came

        async def say(said: str) -> SoundMade:
            return _there((await performed(SayOrder(said))).sound)

        async def hear(name: str, given: Audio | str) -> WordsHeard:
            order = (
                HearOrder(name, None, given) if isinstance(given, str) else HearOrder(name, given)
            )
            return _there((await performed(order)).heard)

        yield Performers(say, hear)


@asynccontextmanager
async def performed_there(given: bytes) -> AsyncIterator[TaskFn]:
    """Return what says or hears one utterance, in a worker.

    Raises:
        UsageError: Where data or engines differ from those of the command's own process.
    """
    work = msgspec.msgpack.decode(given, type=SpeechWork)
    receipts = RecordingSpendTracker()
    suites = [load_suite(name) for name in work.suites]
    connections = ModelClients(timeouts_of(work.read_timeout), budget=receipts)
    speakers = SpeechEngines(suites, connections, work.sharers)
    try:
        engines = SetEngines(work.speech, speakers, work.language, work.seed)
        if identity_of(engines, [suite.provenance.digest for suite in suites]) != work.same:
            raise UsageError(f"data or engines of {', '.join(work.suites)} differ there")
        here = performing_here(engines)

        async def do(item: bytes) -> bytes:
            came = await _came(here, _asked(item))
            return _encode(msgspec.structs.replace(came, spent=receipts.take()))

        yield do
    finally:
        await speakers.close()
        await connections.close()


async def _came(here: Performers, order: SayOrder | HearOrder) -> Performed:
    try:
        if isinstance(order, SayOrder):
            return Performed(sound=await here.say(order.said))
        given = order.said if order.audio is None else order.audio
        return Performed(heard=await here.hear(order.name, given))
    except (ParticipantError, RunHalted, UsageError) as error:
        usage = error.usage if isinstance(error, ParticipantError) else None
        kind = next(name for name, each in _ENDS.items() if isinstance(error, each))
        return Performed(refusal=SpeechRefusal(kind, str(error), usage))


def _error(refusal: SpeechRefusal) -> DragomanError:
    error = _ENDS.get(refusal.kind, RunHalted)(refusal.why)
    if isinstance(error, ParticipantError):
        error.usage = refusal.usage
    return error


def _there(came: _T | None) -> _T:
    if came is None:
        raise ParticipantError("a worker answered something else than it was asked")
    return came
