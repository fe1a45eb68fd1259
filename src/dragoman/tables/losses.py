"""What is lost between the conditions of a stored run, and it as JSON has it."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.comparison import group_cells
from dragoman.analysis.losses.board import losses
from dragoman.analysis.losses.records import CountedShare, Loss, LossPart, Sides
from dragoman.core.conditions import axis_values
from dragoman.store.run_store import RunStore
from dragoman.tables.comparing import with_kept_cards
from dragoman.tables.outcomes import outcomes


def stored_losses(store: RunStore, rules: str, judge: str) -> tuple[Loss, ...]:
    """Return what is lost between the conditions of a run, by one scoring; nothing where it has one alone."""
    if len(store.conditions()) == 1:
        return ()
    return losses_among(store, tuple(outcomes(store, rules, judge, heads_only=True)))


def losses_among(store: RunStore, rows: Sequence[Outcome]) -> tuple[Loss, ...]:
    """Return what is lost between the conditions of these conversations, which are a run's.

    Couples that differ in a persona which users did not play say nothing of it and are left out.
    """
    if len({row.condition for row in rows}) == 1:
        return ()
    digests = {task.id: task.digest for task in store.tasks().values()}
    cells = group_cells(str(store.folder), rows, digests)
    return losses(cells, lambda couples: with_kept_cards(couples)[0])


def loss_object(loss: Loss) -> dict[str, object]:
    """Return a loss as JSON has it: shares of trials, and the conversations behind each."""
    found = loss.comparison
    return {
        "suite": found.a.suite,
        "agent": found.a.agent,
        "base": {"condition": found.a.condition.label, "axes": axis_values(found.a.condition)},
        "other": {"condition": found.b.condition.label, "axes": axis_values(found.b.condition)},
        "differs": found.differs,
        "tasks": len(found.pairs),
        "left_out": found.left_out,
        "pass_hat_base": found.gaps[0].a if found.gaps else None,
        "pass_hat_other": found.gaps[0].b if found.gaps else None,
        "lost": loss.value,
        "interval": msgspec.to_builtins(loss.interval),
        "p": found.p,
        "adjusted_p": found.adjusted_p,
        "assumed": found.assumed,
        "stages": list(map(_part_object, loss.parts)),
        "failed_with_a_value_misheard": msgspec.to_builtins(loss.misheard),
        "values": list(map(_share_object, loss.values)),
        "word_errors": _sides_object(loss.word_errors),
        "other_language": _sides_object(loss.other_language),
    }


def _part_object(part: LossPart) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(part)
    return {**found, "interval": msgspec.to_builtins(part.interval)}


def _share_object(share: CountedShare | None) -> dict[str, object] | None:
    if share is None:
        return None
    found: dict[str, object] = msgspec.to_builtins(share)
    return {**found, "value": share.value}


def _sides_object(sides: Sides) -> dict[str, object]:
    return {"base": _share_object(sides.base), "other": _share_object(sides.other)}
