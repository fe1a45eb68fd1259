"""Which benchmark data are pulled, and whether every file is the one that is pinned."""

from collections.abc import Iterator

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.core.facets import PulledState, PullsData
from dragoman.report import wording
from dragoman.wiring.catalogue import benchmarks
from dragoman.wiring.environment import data_folder

PART = "data"
_NAMED = 3


def data() -> Iterator[CheckedThing]:
    """Yield how every source of data stands; each file is read and hashed."""
    for each in benchmarks():
        if isinstance(each, PullsData):
            for name, source in each.sources().items():
                yield _finding(name, source.state(data_folder()))


def _finding(name: str, found: PulledState) -> CheckedThing:
    todo = f"dragoman data pull {name}"
    if not found.is_there:
        return CheckedThing(PART, name, "missing", "not pulled", todo)
    if found.wrong:
        some = ", ".join(found.wrong[:_NAMED])
        more = f" and {len(found.wrong) - _NAMED} more" if len(found.wrong) > _NAMED else ""
        return CheckedThing(PART, name, "wrong", f"not as pinned: {some}{more}", todo)
    files = wording.counted(found.files, "file")
    return CheckedThing(PART, name, "ok", f"{files} as pinned, {found.bytes / 1e6:,.1f} MB")
