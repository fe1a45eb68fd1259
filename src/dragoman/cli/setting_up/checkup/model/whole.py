"""Examines a model by its name: all its endpoints, within a time, with every connection closed."""

import msgspec

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.cli.setting_up.checkup.model.asking import bounded
from dragoman.cli.setting_up.checkup.model.examining import PART, Announce, examine_endpoint
from dragoman.core.errors import UsageError
from dragoman.models.catalog import LITELLM
from dragoman.models.model_spec import EQUAL, ModelSpec, parse_model_spec
from dragoman.wiring.agents.agent_names import read_agent
from dragoman.wiring.agents.text_agents import split_options
from dragoman.wiring.event_loops import run_to_end
from dragoman.wiring.probing import ModelProbe
from dragoman.wiring.providers import base_address_of


def examine_named(written: str, seconds: float, announce: Announce) -> list[CheckedThing]:
    """Return what was found of a model.

    Args:
        written: The model, as agents are named; options of calls in text are left aside.
        seconds: How long to wait for each answer.
        announce: Is told what is asked next, before it is.

    Raises:
        UsageError: For a model that does not exist, or has no endpoint.
    """
    name, _ = split_options(read_agent(written).spec)
    if "/" not in name.partition("?")[0] or name.startswith(("http://", "https://")):
        raise UsageError(f"{written}: write a model, PROVIDER/MODEL: its endpoint is what is asked")
    if name.startswith(("local/", "scripted/")):
        raise UsageError(f"{written} has no endpoint: there is nothing to ask")
    spec = bounded(parse_model_spec(name))
    return run_to_end(_examined(spec, seconds, announce))


async def _examined(spec: ModelSpec, seconds: float, announce: Announce) -> list[CheckedThing]:
    addresses = _addresses(spec)
    found: list[CheckedThing] = []
    for address in addresses:
        one = msgspec.structs.replace(spec, base_url=address) if len(addresses) > 1 else spec
        things = await _examined_at(one, seconds, announce)
        found += things if len(addresses) == 1 else [_of(address, each) for each in things]
    return found


async def _examined_at(spec: ModelSpec, seconds: float, announce: Announce) -> list[CheckedThing]:
    try:
        probe = ModelProbe(spec, seconds)
    except UsageError as error:
        if not spec.key_env:
            raise
        todo = f"export {spec.key_env}=..."
        return [CheckedThing(PART, "key", "wrong", str(error), todo, "key_missing")]
    try:
        return await examine_endpoint(spec, probe, seconds, announce)
    finally:
        await probe.close()


def _addresses(spec: ModelSpec) -> list[str]:
    """Return the addresses of a model; of several equal ones, each is asked."""
    if spec.provider.url.startswith(LITELLM):
        return [spec.base_url]
    return base_address_of(spec).split(EQUAL)


def _of(address: str, found: CheckedThing) -> CheckedThing:
    return msgspec.structs.replace(found, subject=f"{found.subject} at {address}")
