import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.benchmarks.downloads.pinned_data import pull
from dragoman.benchmarks.tau2.upstream_data import derive_schemas, source_folder, tau2_source
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import ChatRequest, Completion, SessionStart
from dragoman.core.replies import text_reply
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES
from dragoman.core.tools import NO_TOOLS, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.registry.suites import load_suite, prompts_for
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.prompts import default_prompts


class Listener:
    """A model that records its instructions."""

    name = "listener"

    def __init__(self) -> None:
        self.systems: list[object] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        import msgspec

        self.systems.append(request.messages[0]["content"])
        return Completion(text_reply("Yes."), msgspec.Raw(b"{}"), Usage(purpose, self.name))


def system_of_user(prompts: PromptSet, tools: Toolset) -> str:
    task = load_suite("sample:shop").tasks[0]
    model = Listener()

    async def ask() -> None:
        session = await LlmParticipant(model, prompts).open(SessionStart(task, "user", 0))
        await session.reply([text_reply("Hi!")], tools)

    asyncio.run(ask())
    return str(model.systems[0])


@pytest.fixture
def cache(data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = source_folder(tmp_path / "dragoman" / "data")
    pull(tau2_source(), target, derive=derive_schemas, from_dir=data_folder / "tau2")
    names = ("simulation_guidelines.md", "simulation_guidelines_tools.md")
    return [(data_folder / "tau2" / "user_simulator" / name).read_text("utf-8") for name in names]


def test_under_the_references_rules_users_follow_its_guidelines(cache: Sequence[str]) -> None:
    without, with_tools = cache
    prompts = prompts_for("tau2:telecom", TAU2_RULES)
    phone = Toolset((ToolSpec("reboot", "", {"type": "object", "properties": {}}),))
    assert prompts.name == "tau2-1.0.1"
    assert system_of_user(prompts, NO_TOOLS).startswith(without.strip())
    assert system_of_user(prompts, phone).startswith(with_tools.strip())


def test_elsewhere_the_prompts_are_ours() -> None:
    assert prompts_for("sample:shop", TAU2_RULES) == default_prompts()
    assert prompts_for("tau2:retail", DEFAULT_RULES) == default_prompts()
    assert default_prompts().user in system_of_user(default_prompts(), NO_TOOLS)
