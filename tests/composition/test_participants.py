import re
import sys
from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.core.protocols import SessionStart
from dragoman.registry.participants import (
    resolve_agent,
    resolve_judge,
    resolve_object,
    resolve_user,
)
from dragoman.simulation.participants.confirming import AttentiveAgent, CarefulAgent
from dragoman.simulation.participants.lexical import LexicalAgent
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.participants.oracle import GoldAgent, GoldUser, LiteralAgent, SilentAgent
from dragoman.simulation.participants.scripted_user import OfflineSession, OfflineUser
from dragoman.simulation.phrasebooks import english_phrasebook

SCRIPT = '{"*": [{"content": "hi"}]}'


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of the user's own in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("my_agents", "my_broken_agents"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    path = tmp_path / "my_agents.py"
    path.write_text(
        "number = 5\n"
        "def agent(messages, tools):\n    return 'hi'\n"
        "class Mine:\n"
        "    name = 'mine'\n"
        "    async def open(self, opening):\n        raise NotImplementedError\n"
    )
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("gold", GoldAgent),
        ("careful", CarefulAgent),
        ("attentive", AttentiveAgent),
        ("literal", LiteralAgent),
        ("lexical", LexicalAgent),
        ("silent", SilentAgent),
    ],
)
def test_diagnostic_agents_are_known_by_name(name: str, kind: type) -> None:
    resolved = resolve_agent(name)
    assert resolved.name == name
    assert isinstance(resolved.participant, kind)


def test_the_user_is_the_agents_partner_unless_named() -> None:
    assert isinstance(resolve_user("", GoldAgent()).participant, GoldUser)
    assert isinstance(resolve_user("", SilentAgent()).participant, OfflineUser)
    assert isinstance(resolve_user("offline", GoldAgent()).participant, OfflineUser)
    assert isinstance(resolve_user("gold", SilentAgent()).participant, GoldUser)


def test_a_partner_is_the_same_named_or_not() -> None:
    assert resolve_user("", GoldAgent()).identity == resolve_user("gold", GoldAgent()).identity


def test_judges_are_known_by_name() -> None:
    assert resolve_judge("none") is None
    names = {spec: judge.name for spec in ("rule", "assume-met") if (judge := resolve_judge(spec))}
    assert names == {"rule": "rule-1", "assume-met": "assume-met"}


@pytest.mark.parametrize("name", ["golden", "", "Gold"])
def test_an_unknown_agent_is_refused_with_those_that_exist(name: str) -> None:
    with pytest.raises(
        UsageError,
        match=f"unknown agent '{name}': choose attentive, careful, gold, lexical, literal, silent",
    ):
        resolve_agent(name)


def test_a_person_needs_a_terminal() -> None:
    with pytest.raises(UsageError, match="--agent human"):
        resolve_agent("human")
    with pytest.raises(UsageError, match="--user human"):
        resolve_user("human", GoldAgent())


def test_an_unknown_user_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match="unknown user 'me': choose gold, offline, human"):
        resolve_user("me", GoldAgent())


def test_an_unknown_judge_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match="unknown judge 'dredd': choose none, rule, assume-met"):
        resolve_judge("dredd")


@pytest.mark.parametrize("resolve", [resolve_agent, resolve_judge])
def test_an_unknown_provider_is_refused(resolve: object) -> None:
    assert callable(resolve)
    with pytest.raises(UsageError, match="unknown model provider 'nobody' in 'nobody/model'"):
        resolve("nobody/model")


def test_a_script_stands_for_a_model(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(SCRIPT)
    resolved = resolve_agent(f"scripted/{path}")
    assert isinstance(resolved.participant, LlmParticipant)
    judge = resolve_judge(f"scripted/{path}")
    assert judge is not None
    assert judge.name.startswith(f"chat-1:scripted/{path}@")
    before = resolved.identity
    path.write_text(SCRIPT.replace("hi", "bye"))
    assert resolve_agent(f"scripted/{path}").identity != before
    changed = resolve_judge(f"scripted/{path}")
    assert changed is not None
    assert changed.name != judge.name


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    with pytest.raises(UsageError, match=re.escape(str(path))):
        resolve_agent(f"scripted/{path}")
    with pytest.raises(UsageError, match="script"):
        resolve_agent("scripted/")


@pytest.mark.usefixtures("module")
def test_a_function_of_ones_own_is_an_agent() -> None:
    resolved = resolve_agent("my_agents:agent")
    assert resolved.name == "my_agents:agent"
    assert isinstance(resolved.participant, LlmParticipant)


@pytest.mark.usefixtures("module")
def test_a_participant_of_ones_own_is_an_agent() -> None:
    assert resolve_agent("my_agents:Mine").participant.name == "mine"


def test_a_changed_file_is_another_agent(module: Path) -> None:
    before = resolve_agent("my_agents:agent").identity
    module.write_text(module.read_text() + "# changed\n")
    assert resolve_agent("my_agents:agent").identity != before


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("localhost:8100", "an address begins with http://: write http://localhost:8100"),
        ("127.0.0.1:8100/agent", "write http://127.0.0.1:8100/agent"),
        ("no_such_module:agent", "no_such_module:agent: cannot import 'no_such_module'"),
        ("my_agents.sub:agent", "cannot import 'my_agents.sub'"),
        ("my_agents:nobody", "module 'my_agents' has no attribute 'nobody'"),
        ("my_agents:", "has no attribute ''"),
        ("my_agents:number", "neither a function of (messages, tools) nor a participant"),
    ],
)
def test_an_agent_of_ones_own_that_is_not_there_is_named(spec: str, named: str) -> None:
    with pytest.raises(UsageError, match=re.escape(named)):
        resolve_agent(spec)


def an_agent(messages: object, tools: object) -> str:  # noqa: ARG001 - an agent's signature
    return "hi"


class Participant:
    def __init__(self, temperature: float) -> None:
        self.temperature = temperature
        self.name = "mine"

    async def open(self, opening: SessionStart) -> OfflineSession:  # noqa: ARG002 - it does not look
        return OfflineSession("hi", english_phrasebook())


def test_a_function_is_named_by_where_it_is_defined() -> None:
    resolved = resolve_object(an_agent)
    assert resolved.name == f"{__name__}:an_agent"
    assert resolve_object(an_agent).identity == resolved.identity


def test_what_cannot_answer_is_no_agent() -> None:
    with pytest.raises(UsageError, match="neither a function"):
        resolve_object(5)


def test_two_functions_of_one_file_are_two_agents() -> None:
    assert resolve_object(an_agent).identity != resolve_object(resolve_object).identity


def test_two_objects_of_one_class_are_not_taken_for_one_another() -> None:
    cold, warm = resolve_object(Participant(0.0)), resolve_object(Participant(1.0))
    assert cold.identity != warm.identity


@pytest.mark.parametrize(
    ("spec", "content"),
    [
        ("my_broken_agents:agent", "1 / 0\n"),
        ("my_broken_agents:agent", "def agent(:\n"),
        (
            "my_broken_agents:Mine",
            "class Mine:\n    def __init__(self, x): ...\n    def open(self): ...\n",
        ),
        (":agent", ""),
    ],
)
def test_a_module_that_breaks_when_it_is_imported_is_one_line(
    module: Path, spec: str, content: str
) -> None:
    module.with_name("my_broken_agents.py").write_text(content)
    with pytest.raises(UsageError):
        resolve_agent(spec)
