"""Names of agents, users and judges become objects.

`gold`, `silent`, `literal`: diagnostic agents. `module:attribute`: a function or participant of the
user's own. `provider/model`: a chat model; `scripted/FILE` answers from a script.
"""

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import ChatModel, Judge, Participant
from dragoman.core.scores import IMPORTED, NO_JUDGE
from dragoman.core.tools import Role
from dragoman.simulation.prompts import PromptSet

DIAGNOSTIC_AGENTS = {
    "gold": "plays the reference plan, agent and user: what is possible",
    "literal": "plays the reference plan with the values it heard: what hearing loses",
    "silent": "does nothing: the floor",
}
USERS = {
    "offline": "says what the task's instructions contain; needs no model",
    "gold": "plays the user's side of the reference plan",
}
JUDGES = {
    "none": "leaves natural-language assertions unscored",
    "rule": "decides assertions that name an amount, a number or an id to be said",
    "assume-met": "assumes every assertion met and marks every figure it touches",
}


class Resolved(msgspec.Struct, frozen=True):
    """A participant with the content key of everything that makes it what it is."""

    name: str
    participant: Participant
    identity: str


def resolve_agent(spec: str, prompts: PromptSet | None = None) -> Resolved:
    """Return the agent of that name, or raise UsageError saying which exist."""
    from dragoman.simulation.diagnostic import GoldAgent, LiteralAgent, SilentAgent

    diagnostics: dict[str, Callable[[], Participant]] = {
        "gold": GoldAgent,
        "literal": LiteralAgent,
        "silent": SilentAgent,
    }
    if spec in diagnostics:
        return Resolved(spec, diagnostics[spec](), content_key("diagnostic-1", spec))
    return _resolve_other(spec, "agent", sorted(diagnostics), prompts)


def resolve_user(spec: str, agent: Participant, prompts: PromptSet | None = None) -> Resolved:
    """Return the user simulator of that name; an empty name is the agent's own partner."""
    from dragoman.simulation.diagnostic import GoldUser, partner_of
    from dragoman.simulation.offline_user import OfflineUser

    if not spec:
        partner = partner_of(agent)
        return Resolved(partner.name, partner, content_key("diagnostic-1", partner.name, "user"))
    users: dict[str, Callable[[], Participant]] = {"gold": GoldUser, "offline": OfflineUser}
    if spec in users:
        return Resolved(spec, users[spec](), content_key("diagnostic-1", spec, "user"))
    return _resolve_other(spec, "user", sorted(users), prompts)


def resolve_judge(spec: str) -> Judge | None:
    """Return the judge of that name, None for `none`, or raise UsageError saying which exist."""
    from dragoman.scoring.judges import AssumeMet, ChatJudge, RuleJudge

    if spec == "none":
        return None
    if spec == "assume-met":
        return AssumeMet()
    if spec == "rule":
        return RuleJudge()
    if "/" in spec:
        model, key = _chat_model(spec, greeted=0)
        return ChatJudge(model, key[:8])
    raise UsageError(f"unknown judge {spec!r}: choose {', '.join(JUDGES)} or PROVIDER/MODEL")


def judge_name(spec: str | None) -> str | None:
    """Return the name that a judge's scores carry; None for none named."""
    if spec is None or spec == IMPORTED:
        return spec
    judge = resolve_judge(spec)
    return NO_JUDGE if judge is None else judge.name


def _resolve_other(spec: str, side: Role, known: list[str], prompts: PromptSet | None) -> Resolved:
    if "/" in spec:
        from dragoman.simulation.llm import LlmParticipant
        from dragoman.simulation.prompts import default_prompts

        model, key = _chat_model(spec, greeted=1 if side == "agent" else 0)
        prompts = prompts or default_prompts()
        identity = content_key("llm-1", spec, key, prompts.digest)
        return Resolved(spec, LlmParticipant(model, prompts), identity)
    if ":" in spec:
        return _imported(spec, prompts)
    raise UsageError(
        f"unknown {side} {spec!r}: choose {', '.join(known)}, MODULE:ATTRIBUTE or PROVIDER/MODEL"
    )


def _chat_model(spec: str, greeted: int) -> tuple[ChatModel, str]:
    provider, _, name = spec.partition("/")
    if provider != "scripted":
        raise UsageError(
            f"unknown model provider {provider!r} in {spec!r}: this version knows scripted/FILE"
        )
    from dragoman.models.scripted import ScriptedModel, load_script

    script = load_script(Path(name))
    return ScriptedModel(spec, script, greeted), content_key(script)


def _imported(spec: str, prompts: PromptSet | None) -> Resolved:
    module_name, _, attribute = spec.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    hint = " (write the module's name without .py)" if module_name.endswith(".py") else ""
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{spec}: cannot import {module_name!r} from here: {type(error).__name__}: {error}{hint}"
        ) from error
    target = getattr(module, attribute, None) if attribute else None
    if target is None:
        raise UsageError(f"{spec}: module {module_name!r} has no attribute {attribute!r}")
    return _resolved(spec, target, getattr(module, "__file__", None), prompts)


def resolve_object(target: object) -> Resolved:
    """Return a participant made of a function or participant object, named by where it is defined.

    Its identity is the content of the file that defines it and the values that it carries (a
    closure's variables, an object's attributes), as far as those can be told from each other.
    """
    owner = target if hasattr(target, "__qualname__") else type(target)
    module = sys.modules.get(getattr(owner, "__module__", ""), None)
    spec = f"{getattr(owner, '__module__', '?')}:{getattr(owner, '__qualname__', '?')}"
    return _resolved(spec, target, getattr(module, "__file__", None))


def _resolved(
    spec: str, target: object, source: str | None, prompts: PromptSet | None = None
) -> Resolved:
    content = Path(source).read_bytes() if source and Path(source).is_file() else b""
    identity = content_key("imported-1", spec, content.hex(), _carried(target))
    if callable(getattr(target, "open", None)):
        return Resolved(spec, _made(spec, target), identity)
    if not callable(target):
        raise UsageError(f"{spec}: neither a function of (messages, tools) nor a participant")
    from dragoman.simulation.callables import CallableModel
    from dragoman.simulation.llm import LlmParticipant
    from dragoman.simulation.prompts import default_prompts

    prompts = prompts or default_prompts()
    identity = content_key(identity, prompts.digest)
    return Resolved(spec, LlmParticipant(CallableModel(spec, target), prompts), identity)


def _made(spec: str, target: object) -> Participant:
    if not isinstance(target, type):
        return cast("Participant", target)
    try:
        return cast("Participant", target())
    except Exception as error:
        raise UsageError(
            f"{spec}: the class cannot be made without arguments ({error}): name an object of it"
        ) from error


def _carried(target: object) -> list[str]:
    """Return what an object or closure carries; an address in a text would change every time."""
    cells = getattr(target, "__closure__", None) or ()
    values = [cell.cell_contents for cell in cells] + sorted(
        getattr(target, "__dict__", {}).items()
    )
    return [_ADDRESS.sub("", repr(value)) for value in values]


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
