"""The gold agent with a delay of a tenth of a second.

A run with it waits for the agent instead of its own work.
"""

import asyncio
from collections.abc import Sequence

from dragoman.core.protocols import Session, SessionInput, SessionReply, SessionStart
from dragoman.core.tools import Toolset
from dragoman.simulation.participants.oracle import GoldAgent

SECONDS = 0.1


class Slow:
    """An agent that answers as gold does, after a delay."""

    name = "slow"

    async def open(self, opening: SessionStart) -> Session:
        return _Late(await GoldAgent().open(opening))


class _Late:
    def __init__(self, gold: Session) -> None:
        self._gold = gold

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:
        await asyncio.sleep(SECONDS)
        return await self._gold.reply(heard, tools)

    async def close(self) -> None:
        await self._gold.close()
