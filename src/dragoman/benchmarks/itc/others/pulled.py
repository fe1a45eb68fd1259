"""Sets of other projects as pulled into the cache, and the one list of their readers."""

import functools
import importlib.resources
from collections.abc import Callable, Mapping
from pathlib import Path

from dragoman.benchmarks.itc.others.acebench import read_chinese, read_english
from dragoman.benchmarks.itc.others.api_bank import read_api_bank
from dragoman.benchmarks.itc.others.hammer import read_hammer
from dragoman.benchmarks.itc.others.nestful import read_nestful
from dragoman.benchmarks.itc.others.nexusraven import read_cve, read_emailrep
from dragoman.benchmarks.itc.others.reading import Contents, Read, set_facts
from dragoman.benchmarks.itc.others.seal_tools import read_old_seal_tools, read_seal_tools
from dragoman.benchmarks.itc.others.toolalpaca import read_toolalpaca
from dragoman.benchmarks.itc.others.toolbench import read_stable_toolbench, read_toolbench
from dragoman.benchmarks.itc.records import CallSet
from dragoman.benchmarks.pulling.data import PinnedData, open_file
from dragoman.benchmarks.pulling.sources import Derived, PinnedSource, load_source
from dragoman.core.errors import UsageError
from dragoman.core.facets import PulledState
from dragoman.core.protocols import Provenance

HINT = "run `dragoman data pull itc-calls --from DIR`"

READERS: Mapping[str, Callable[[Read], Contents]] = {
    "seal-tools": read_seal_tools,
    "seal-tools-old": read_old_seal_tools,
    "toolalpaca": read_toolalpaca,
    "nexusraven-cve": read_cve,
    "nexusraven-emailrep": read_emailrep,
    "api-bank": read_api_bank,
    "hammer-api-bank": read_hammer,
    "acebench-en": read_english,
    "acebench-zh": read_chinese,
    "nestful": read_nestful,
    "toolbench": read_toolbench,
    "stabletoolbench": read_stable_toolbench,
}


@functools.cache
def calls_source() -> PinnedSource:
    """Return the pinned files of all sets."""
    folder = importlib.resources.files("dragoman.benchmarks.itc.others")
    return load_source((folder / "sources.toml").read_bytes())


def source_folder(data: Path) -> Path:
    """Return where they lie under the folder of pulled data."""
    return data / "itc-calls" / calls_source().commit


def pulled_set(name: str, data: Path) -> CallSet:
    """Return a set.

    Args:
        name: What stands behind `itc:`.
        data: The folder of pulled data.

    Raises:
        DataError: Where a file is missing or damaged; the line names the command that helps.
    """
    facts = set_facts()[name]
    source, folder = calls_source(), source_folder(data)
    documents, tasks = READERS[name](lambda file: open_file(folder, source, file, HINT))
    provenance = Provenance(facts.source, facts.licence, facts.notice, "")
    return CallSet(f"itc:{name}", tuple(documents), tuple(tasks), provenance, facts.told.strip())


class CallsData:
    """The files of all sets as a source to pull, from a local copy."""

    def pull(
        self,
        data: Path,
        *,
        from_dir: Path | None,
        url: str | None,
        progress: Callable[[str, int, int], None],
    ) -> str:
        """Fill the folder with what is pinned; say what was done, and what licences forbid.

        Raises:
            UsageError: Where no local copy is named.
            DataError: Where a file is missing or not the pinned one.
        """
        if from_dir is None and url is None:
            raise UsageError(
                "itc-calls: two of its files are in no repository: name a copy with --from DIR"
            )
        done = _PINNED.pull(data, from_dir=from_dir, url=url, progress=progress)
        limits = [
            f"itc:{name} is {each.licence}: {each.notice}"
            for name, each in set_facts().items()
            if each.notice
        ]
        return f"{done}; nothing of it may be passed on as ours. {' '.join(limits)}"

    def state(self, data: Path) -> PulledState:
        """Return what is there in the folder of pulled data; every file is read and hashed."""
        return _PINNED.state(data)


def _nothing(entry: Derived, modules: Mapping[str, str]) -> None:
    del entry, modules


_PINNED = PinnedData(calls_source, source_folder, _nothing)
CALLS_DATA = CallsData()
