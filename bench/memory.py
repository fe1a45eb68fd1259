"""Memory of conversations in progress: `python -m bench.memory SUITE`.

The measurement has a process of its own, because memory that earlier measurements freed would hide
part of the result. Every conversation is stopped half-way, so that all of them are in progress at
once.
"""

import asyncio
import sys

from bench.measuring import peak, resident
from bench.scripted import Gold, gold_episodes, model_of, script_of, setup_of

from dragoman.config.run_config import RunConfig
from dragoman.core.protocols import ChatModel, ChatRequest, Completion, Suite
from dragoman.core.tools import Role
from dragoman.registry.suites import load_suite
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells

AT_A_TIME = (10, 64, 1_000, 5_000)
REFERENCE = {"tau2:airline": "2.2 GB"}
"""Memory of the reference with 64 conversations: quoted from a measurement elsewhere."""


def main() -> None:
    imported = resident()
    suite = load_suite(sys.argv[1])
    gold = gold_episodes(suite)
    loaded = resident()
    held = {count: asyncio.run(_hold(suite, gold, count)) for count in AT_A_TIME}
    quoted = (
        f"; reference with 64 {REFERENCE[suite.name]} (quoted)" if suite.name in REFERENCE else ""
    )
    print(
        f"{suite.name}, conversations under way: "
        + ", ".join(f"{count:,}: {occupied / 1e6:.0f} MB" for count, occupied in held.items())
        + f" (program {imported / 1e6:.0f} MB, with suite and scripts {loaded / 1e6:.0f} MB; most "
        f"{peak() / 1e6:.0f} MB){quoted}; each further conversation "
        f"{(held[AT_A_TIME[-1]] - held[AT_A_TIME[0]]) / (AT_A_TIME[-1] - AT_A_TIME[0]) / 1e3:.0f} KB"
    )


class _Halfway:
    """A model that returns half of the scripted replies, then waits for its release.

    `are_held` is set when the given number of conversations wait.
    """

    def __init__(self, gold: Gold, side: Role, count: int) -> None:
        self._model: ChatModel = model_of(gold, side)
        self.name = self._model.name
        self._halves = {task: len(replies) // 2 for task, replies in script_of(gold, side).items()}
        self._awaited = count
        self.are_held = asyncio.Event()
        self.released = asyncio.Event()

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        said = [message["role"] for message in request.messages].count("assistant") - 1
        if said == self._halves[request.label]:
            self._awaited -= 1
            if self._awaited == 0:
                self.are_held.set()
            await self.released.wait()
        return await self._model.complete(request, purpose)


async def _hold(suite: Suite, gold: Gold, count: int) -> int:
    """Return the memory of this process in bytes while `count` conversations wait half-way."""
    agent = _Halfway(gold, "agent", count)
    trials = -(-count // len(suite.tasks))
    config = RunConfig(suite.name, ("scripted",), judge="assume-met", trials=trials)
    setup = setup_of(suite, (agent, model_of(gold, "user")), config)
    player = Player(setup)
    work = [asyncio.create_task(player.converse(cell)) for cell in plan_cells(setup)[:count]]
    await agent.are_held.wait()
    occupied = resident()
    agent.released.set()
    await asyncio.gather(*work)
    return occupied


if __name__ == "__main__":
    main()
