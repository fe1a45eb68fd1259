"""Registry of agents, users and judges: names become participants.

`gold`, `careful`, `attentive`, `literal`, `lexical`, `silent` are diagnostic agents. `human` is a
person at the terminal. `module:attribute` is a function or participant of the user's own.
`http://HOST:PORT/PATH` is an agent's server. `provider/model` is a chat or realtime model.
"""

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import msgspec

from dragoman.config.agent_specs import AgentSpec, parse_agent
from dragoman.config.builtin_names import HUMAN, JUDGES, USERS
from dragoman.core.audio import hears_audio
from dragoman.core.conditions import ITSELF, Condition
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import ChatModel, Judge, Participant
from dragoman.core.tools import Role
from dragoman.models.model_spec import HEARS, require_no_address, require_no_agent_name
from dragoman.models.prices import strip_price
from dragoman.models.realtime_spec import is_realtime, parse_realtime_spec
from dragoman.registry.agents import (
    SCHEMES,
    TextProtocolFactory,
    http_agent,
    require_own_address,
    split_options,
)
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.model_clients import ModelClients
from dragoman.scoring.simulator_validity import UserCheck
from dragoman.simulation.participant_errors import stops_run
from dragoman.simulation.participants.human import Console


class ResolvedParticipant(msgspec.Struct, frozen=True):
    """A participant with the content key of everything that determines its behavior.

    `model` is the participant's chat model, or None if it is not a chat model. `spec` is the text
    that a participant with a given name was resolved from; it does not enter the content key. It is
    "" if `name` is that text.
    """

    name: str
    participant: Participant
    identity: str
    model: ChatModel | None = None
    spec: str = ""

    @property
    def resolved_by(self) -> str:
        """The name of the agent, model or code that the participant was resolved from."""
        return self.spec or self.name


def cannot_hear(agent: ResolvedParticipant, condition: Condition) -> str:
    """Return why an agent cannot be played under a condition that gives it audio, or ""."""
    if condition.recognizer != ITSELF or hears_audio(agent.participant):
        return ""
    hint = f"; add {HEARS}=on to its name if it does" if "/" in agent.resolved_by else ""
    return f"{agent.name} cannot hear: it takes words, not audio{hint}"


def resolve_agent(
    spec: str,
    prompts: PromptSet | None = None,
    connections: ModelClients | None = None,
    offer: TextProtocolFactory | None = None,
) -> ResolvedParticipant:
    """Return the agent of that name.

    Args:
        spec: Its name, with options; `NAME=` before it sets its display name.
        prompts: The prompts of chat models.
        connections: The resources that chat models share.
        offer: The function that makes the suite's text protocol, for agents with calls in text.

    Raises:
        UsageError: If the agent does not exist; the message lists the existing ones.
    """
    from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
    from dragoman.simulation.participants.confirming import AttentiveAgent, CarefulAgent
    from dragoman.simulation.participants.lexical import LexicalAgent
    from dragoman.simulation.participants.oracle import GoldAgent, LiteralAgent, SilentAgent

    diagnostics: dict[str, Callable[[], Participant]] = {
        "gold": GoldAgent,
        "careful": CarefulAgent,
        "attentive": AttentiveAgent,
        "literal": LiteralAgent,
        "lexical": LexicalAgent,
        "silent": SilentAgent,
    }
    if (behind := wrapped_agent_name(spec)) != spec:
        return with_reference_values(resolve_agent(behind, prompts, connections, offer))
    named = parse_agent(spec)
    if named.spec.startswith(SCHEMES):
        return rename_agent(_http_agent(named, prompts, connections), named)
    spec = named.spec
    if named.is_given:
        return rename_agent(resolve_agent(spec, prompts, connections, offer), named)
    if spec in diagnostics:
        return ResolvedParticipant(spec, diagnostics[spec](), content_key("diagnostic-1", spec))
    name, options = split_options(spec)
    if options:
        return _text_agent(spec, name, connections, offer, options)
    known = [*sorted(diagnostics), HUMAN, "http://HOST:PORT/PATH"]
    return _resolve_other(spec, "agent", known, prompts, connections)


def rename_agent(agent: ResolvedParticipant, named: AgentSpec) -> ResolvedParticipant:
    """Return an agent under its given display name, or unchanged if it has none."""
    if not named.is_given:
        return agent
    return msgspec.structs.replace(agent, name=named.name, spec=named.spec)


def calls_in_text(spec: str) -> bool:
    """Return whether an agent of that name calls functions in its text."""
    return not spec.startswith(SCHEMES) and bool(split_options(spec)[1])


def with_reference_values(agent: ResolvedParticipant) -> ResolvedParticipant:
    """Return an agent that calls with values of the reference plan, under another name."""
    from dragoman.simulation.participants.canonical_arguments import CanonicalAgent, canonical_name

    identity = content_key("canonical-1", agent.identity)
    name, played = canonical_name(agent.name), CanonicalAgent(agent.participant)
    spec = canonical_name(agent.spec) if agent.spec else ""
    return ResolvedParticipant(name, played, identity, agent.model, spec)


def resolve_user(
    spec: str,
    agent: Participant,
    prompts: PromptSet | None = None,
    connections: ModelClients | None = None,
) -> ResolvedParticipant:
    """Return the user simulator of that name; an empty name is the agent's own partner."""
    from dragoman.simulation.participants.oracle import GoldUser, partner_of
    from dragoman.simulation.participants.scripted_user import OfflineUser

    require_no_agent_name(spec)
    spec = strip_price(spec)
    if not spec:
        partner = partner_of(agent)
        return ResolvedParticipant(
            partner.name, partner, content_key("diagnostic-1", partner.name, "user")
        )
    users: dict[str, Callable[[], Participant]] = {"gold": GoldUser, "offline": OfflineUser}
    if spec in users:
        return ResolvedParticipant(spec, users[spec](), content_key("diagnostic-1", spec, "user"))
    return _resolve_other(spec, "user", [*sorted(users), HUMAN], prompts, connections)


def resolve_person(console: Console) -> ResolvedParticipant:
    """Return the person at a console, who can play either side."""
    from dragoman.simulation.participants.human import Human

    return ResolvedParticipant(HUMAN, Human(console), content_key("human-1"))


def resolve_judge(spec: str, connections: ModelClients | None = None) -> Judge | None:
    """Return the judge of that name; None for `none`.

    An unknown name raises UsageError; its message lists the existing judges.
    """
    from dragoman.scoring.judges import AssumeMet, ChatJudge, RuleJudge

    require_no_agent_name(spec)
    if spec == "none":
        return None
    if spec == "assume-met":
        return AssumeMet()
    if spec == "rule":
        return RuleJudge()
    if "/" in spec:
        model, key = resolve_chat_model(spec, connections)
        return ChatJudge(model, key[:8])
    raise UsageError(f"unknown judge {spec!r}: choose {', '.join(JUDGES)} or PROVIDER/MODEL")


def resolve_user_check(
    user: str, judge: str, connections: ModelClients | None = None
) -> UserCheck | None:
    """Return the check of a run's simulated users; None if the user only plays a script.

    Args:
        user: The user's name; the diagnostic users recite their script by design.
        judge: The judge of simulated users, `none` for rules alone.
        connections: The resources that the models of the run share.

    Raises:
        UsageError: For a judge that does not exist or has no user to judge.
    """
    from dragoman.scoring.judges import SIMULATOR, ChatJudge
    from dragoman.scoring.simulator_validity import UserCheck

    require_no_agent_name(judge)
    require_no_address(judge)
    is_scripted = user in {"", *USERS}
    if judge == "none":
        return None if is_scripted else UserCheck()
    if "/" not in judge:
        raise UsageError(f"unknown user judge {judge!r}: choose none or PROVIDER/MODEL")
    if is_scripted:
        raise UsageError(
            f"--user-judge {judge}: the user {user or 'offline'!r} plays a script, which needs no "
            "judge: leave it out"
        )
    model, key = resolve_chat_model(judge, connections)
    return UserCheck(ChatJudge(model, key[:8], SIMULATOR))


def _resolve_other(
    spec: str,
    side: Role,
    known: list[str],
    prompts: PromptSet | None,
    connections: ModelClients | None,
) -> ResolvedParticipant:
    if spec == HUMAN:
        raise UsageError(
            f"{HUMAN}: a person plays at a terminal only: `dragoman run SUITE --{side} {HUMAN}`"
        )
    if side == "agent" and _HOST_AND_PORT.match(spec):
        address = f"http://{spec}"
        require_own_address(address)
        raise UsageError(f"{spec}: an address begins with http://: write {address}")
    if is_realtime(spec):
        return _realtime_agent(spec, side, prompts, connections)
    if "/" in spec:
        from dragoman.simulation.participants.llm import LlmParticipant
        from dragoman.simulation.prompts import default_prompts

        prompts = prompts or default_prompts()
        is_greeted = side == "agent" and prompts.greets
        model, key = resolve_chat_model(spec, connections, greeted=int(is_greeted))
        identity = content_key("llm-1", spec, key, prompts.digest)
        return ResolvedParticipant(spec, LlmParticipant(model, prompts), identity, model)
    if ":" in spec:
        target, source = import_attribute(spec)
        return _resolve_target(spec, target, source, prompts)
    raise UsageError(
        f"unknown {side} {spec!r}: choose {', '.join(known)}, MODULE:ATTRIBUTE or PROVIDER/MODEL"
    )


def _realtime_agent(
    spec: str, side: Role, prompts: PromptSet | None, connections: ModelClients | None
) -> ResolvedParticipant:
    from dragoman.registry.agents import realtime_agent
    from dragoman.simulation.prompts import default_prompts

    if side != "agent":
        raise UsageError(f"{spec}: a realtime model plays the agent: take a chat model as {side}")
    read, prompts = parse_realtime_spec(spec), prompts or default_prompts()
    agent = realtime_agent(read, prompts, connections or ModelClients())
    return ResolvedParticipant(
        spec, agent, content_key("realtime-1", spec, read.identity, prompts.digest)
    )


def _text_agent(
    spec: str,
    name: str,
    connections: ModelClients | None,
    offer: TextProtocolFactory | None,
    options: Mapping[str, str],
) -> ResolvedParticipant:
    """Return a chat model, or a user's own function, as an agent with calls in text."""
    from dragoman.simulation.participants.llm import PromptedParticipant
    from dragoman.simulation.participants.python_function import FunctionModel

    if offer is None:
        raise UsageError(f"{spec}: calls in text are for agents of bfcl suites")
    text = offer(options)
    if "/" in name:
        model, key = resolve_chat_model(name, connections)
    elif ":" in name:
        target, source = import_attribute(name)
        if not callable(target):
            raise UsageError(f"{name}: not a function of (messages, tools)")
        model, key = FunctionModel(name, target), _identity(name, target, source)
    else:
        raise UsageError(f"{spec}: calls in text are for MODULE:FUNCTION and PROVIDER/MODEL")
    identity = content_key("text-1", key, dict(options))
    own = model if "/" in name else None
    return ResolvedParticipant(spec, PromptedParticipant(spec, model, text), identity, own)


def _http_agent(
    named: AgentSpec, prompts: PromptSet | None, connections: ModelClients | None
) -> ResolvedParticipant:
    from dragoman.simulation.participants.llm import LlmParticipant
    from dragoman.simulation.prompts import default_prompts

    agent = http_agent(named.spec, connections or ModelClients(), named.name)
    prompts = prompts or default_prompts()
    identity = content_key("http-1", named.spec, prompts.digest)
    return ResolvedParticipant(named.spec, LlmParticipant(agent, prompts), identity)


def import_attribute(spec: str) -> tuple[object, str | None]:
    """Return the object of `module:attribute`, found from the current folder, and its file.

    Raises:
        UsageError: If the module cannot be imported or has no such attribute.
    """
    module_name, _, attribute = spec.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    hint = " (write the module's name without .py)" if module_name.endswith(".py") else ""
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:
        if stops_run(error):
            raise
        raise UsageError(
            f"{spec}: cannot import {module_name!r} from here: {type(error).__name__}: "
            f"{error}{hint}"
        ) from error
    target = getattr(module, attribute, None) if attribute else None
    if target is None:
        raise UsageError(f"{spec}: module {module_name!r} has no attribute {attribute!r}")
    return target, getattr(module, "__file__", None)


def resolve_object(target: object, prompts: PromptSet | None = None) -> ResolvedParticipant:
    """Return a participant made from a function or object, named by its definition.

    A function gets `prompts`, or Dragoman's own prompts if there are none.

    The participant's identity is the content of the file that defines it and the values that it
    carries (a closure's variables, an object's attributes), as far as those can be told apart.
    """
    owner = target if hasattr(target, "__qualname__") else type(target)
    module = sys.modules.get(getattr(owner, "__module__", ""), None)
    spec = f"{getattr(owner, '__module__', '?')}:{getattr(owner, '__qualname__', '?')}"
    return _resolve_target(spec, target, getattr(module, "__file__", None), prompts)


def _resolve_target(
    spec: str, target: object, source: str | None, prompts: PromptSet | None = None
) -> ResolvedParticipant:
    identity = _identity(spec, target, source)
    if callable(getattr(target, "open", None)):
        return ResolvedParticipant(spec, _instantiate(spec, target), identity)
    if not callable(target):
        raise UsageError(f"{spec}: neither a function of (messages, tools) nor a participant")
    from dragoman.simulation.participants.llm import LlmParticipant
    from dragoman.simulation.participants.python_function import FunctionModel
    from dragoman.simulation.prompts import default_prompts

    prompts = prompts or default_prompts()
    identity = content_key(identity, prompts.digest)
    return ResolvedParticipant(spec, LlmParticipant(FunctionModel(spec, target), prompts), identity)


def _identity(spec: str, target: object, source: str | None) -> str:
    """Return the content key of an object: its file and its captured values."""
    content = Path(source).read_bytes() if source and Path(source).is_file() else b""
    return content_key("imported-1", spec, content.hex(), _captured_state(target))


def _instantiate(spec: str, target: object) -> Participant:
    if not isinstance(target, type):
        return cast("Participant", target)
    try:
        return cast("Participant", target())
    except BaseException as error:
        if stops_run(error):
            raise
        raise UsageError(
            f"{spec}: the class cannot be made without arguments ({error}): name an object of it"
        ) from error


def _captured_state(target: object) -> list[str]:
    """Return the captured values of an object or closure, without memory addresses."""
    cells = getattr(target, "__closure__", None) or ()
    values = [cell.cell_contents for cell in cells] + sorted(
        getattr(target, "__dict__", {}).items()
    )
    return [_ADDRESS.sub("", repr(value)) for value in values]


_HOST_AND_PORT = re.compile(r"[^/?]+:\d+(?:[/?]|$)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
