"""The gold agent, a tenth of a second late: a run then waits for other things than its own work."""

import asyncio
from collections.abc import Sequence

from dragoman.core.protocols import Session, SessionInput, SessionReply, SessionStart
from dragoman.core.tools import Toolset
from dragoman.simulation.participants.oracle import GoldAgent

SECONDS = 0.1


class Slow:
    """Answers as gold does."""

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
