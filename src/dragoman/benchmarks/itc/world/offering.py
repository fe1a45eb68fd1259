"""Which tools a task offers: those it needs, those that look like them, and others."""

import random
from collections.abc import Iterable, Mapping

from dragoman.benchmarks.itc.world.rows import ApiRow
from dragoman.benchmarks.itc.world.task_rows import TaskRow
from dragoman.core.keys import derive_seed

FEWEST, MOST = 6, 12


def is_held_out(task: TaskRow, apis: Mapping[str, ApiRow]) -> bool:
    """Whether a task is for testing alone: it calls or is about an API that is held out."""
    about = [call.api for call in task.calls] or task.offer
    return any(apis[name].held_out for name in about)


def offered(task: TaskRow, apis: Mapping[str, ApiRow]) -> tuple[str, ...]:
    """Return the ids of the APIs that are offered, from 6 to 12, in a drawn order.

    Those that are held out are offered in tasks for testing alone.
    """
    drawn = random.Random(derive_seed(task.id, "offered"))  # noqa: S311 - repeatable on purpose
    needed = list(dict.fromkeys([*(call.api for call in task.calls), *task.offer]))
    barred = set(task.hide)
    if not is_held_out(task, apis):
        barred |= {name for name, api in apis.items() if api.held_out}
    others = [name for name in apis if name not in barred]
    alike = [name for name in _alike(needed, apis) if name in others]
    home = {name.partition("-")[0] for name in needed}
    drawn.shuffle(others)
    others.sort(key=lambda name: name.partition("-")[0] not in home)
    size = max(len(needed), drawn.randint(FEWEST, MOST))
    taken = list(dict.fromkeys([*needed, *alike, *others]))[:size]
    drawn.shuffle(taken)
    return tuple(taken)


def _alike(needed: Iterable[str], apis: Mapping[str, ApiRow]) -> Iterable[str]:
    """Yield what looks like one of some APIs, or what they look like."""
    for name in needed:
        yield from apis[name].looks_like
        yield from (other for other, api in apis.items() if name in api.looks_like)
