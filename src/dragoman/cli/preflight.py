"""The preflight of `dragoman run`: a few test requests before the first conversation."""

import sys
from collections.abc import Mapping

from dragoman.cli.output import mode, one_line
from dragoman.composition.concurrency import concurrency_limits
from dragoman.composition.setup import Setup, build_setup
from dragoman.config.agent_specs import specs_of
from dragoman.config.builtin_names import HUMAN
from dragoman.config.concurrency_limits import ConcurrencyLimits
from dragoman.core.errors import RunHalted
from dragoman.core.usage import Usage
from dragoman.models.budget import Budget
from dragoman.registry.participants import ResolvedParticipant
from dragoman.report import formatting
from dragoman.runs.plan import plan_cells
from dragoman.runs.preflight import (
    MANY,
    PreflightFailedError,
    PreflightResult,
    count_asking,
    run_preflight,
    sample_cells,
    shorten_config,
    with_planned_draws,
)
from dragoman.runs.runner import run_blocking

MOST_SERVERS_NAMED = 3


def local_server_notice(waiting: ConcurrencyLimits) -> str:
    """Return the settings chosen because of servers on this machine, with the options.

    The text is "" if nothing was chosen.
    """
    chosen = {
        "concurrency": f"{formatting.format_count(waiting.concurrency, 'conversation')} at a time "
        "(--concurrency)",
        "read_timeout": f"silence of up to {waiting.local_read_timeout:g} s (--read-timeout)",
    }
    said = [chosen[name] for name in waiting.chosen]
    if not said:
        return ""
    servers = [
        each.name if each.address in each.name else f"{each.name} at {each.address}"
        for each in waiting.local_servers[:MOST_SERVERS_NAMED]
    ]
    more = len(waiting.local_servers) - MOST_SERVERS_NAMED
    named = ", ".join([*servers, *([f"and {more} more"] if more > 0 else [])])
    return f"on this machine: {named}: {', '.join(said)}"


def run_preflight_checks(
    setup: Setup, person: Mapping[str, ResolvedParticipant], *, wanted: bool | None
) -> Mapping[str, tuple[Usage, ...]]:
    """Probe participants and judges, if requested or if very many conversations use endpoints.

    Return the usage of the probes, by the keys of the cells that were started; empty if there were
    none.

    Args:
        setup: The run to be played; its budget pays for the probes.
        person: The human participant at the terminal, who is never probed.
        wanted: Whether probes are requested; None to decide by the number of conversations.

    Raises:
        RunHalted: If a participant does not answer; nothing was played then.
    """
    config = setup.config
    if wanted is False or HUMAN in {*specs_of(config.agents).values(), config.user}:
        return {}
    cells = plan_cells(setup)
    many = count_asking(config, cells)
    if wanted is None and many < MANY:
        return {}
    # A separate setup: its connections belong to another event loop, and nothing of it is kept.
    own = build_setup(shorten_config(config), person, spend_tracker=setup.budget)
    found: list[PreflightResult] = []

    async def try_all() -> None:
        found.append(
            await run_preflight(own, sample_cells(with_planned_draws(cells, plan_cells(own))))
        )

    try:
        run_blocking(try_all())
    except PreflightFailedError as error:
        _require_unspent(setup.budget)
        raise RunHalted(
            f"preflight: {error}; nothing was played (--no-preflight skips these checks)"
            f"{_describe_usage(error.tried, '; usage until then: ')}"
        ) from error
    if mode() != "quiet":
        print(one_line(_describe_result(found[0])), file=sys.stderr)
        if chosen := local_server_notice(concurrency_limits(config)):
            print(one_line(chosen), file=sys.stderr)
    return found[0].by_cell


def _require_unspent(budget: Budget | None) -> None:
    if budget is not None and budget.spent >= budget.limit.amount:
        raise RunHalted(
            f"preflight: it spent the budget of {budget.limit.text}; nothing was played: give a "
            "larger --max-cost (--no-preflight skips these checks)"
        )


def _describe_result(answered: PreflightResult) -> str:
    """Return one line with the participants that answered, and the cost."""
    begun = formatting.format_count(answered.conversations, "conversation")
    used = _describe_usage(answered) or "no model was called"
    return f"preflight: started {begun}: {used}"


def _describe_usage(tried: PreflightResult, before: str = "") -> str:
    """Return the number of requests by participant, and their cost, after a prefix.

    Without requests, the text is "".
    """
    if not tried.usage:
        return ""
    parts = ", ".join(map(_calls, tried.usage))
    cost = "" if tried.cost is None else f"; cost {formatting.money(tried.cost)}"
    return f"{before}{parts}{cost}"


def _calls(usage: Usage) -> str:
    calls = formatting.format_count(usage.calls, "call")
    is_replayed = usage.calls and usage.replayed == usage.calls
    how = " from cache" if is_replayed else f" in {usage.seconds:.1f} s"
    return f"{usage.purpose} {usage.model} {calls}{how}"
