"""ITC's entry in the registry: names, capabilities and lazy loading of its suites."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dragoman.core.capabilities import OWN_DATASET, DataSource
from dragoman.core.errors import UsageError
from dragoman.core.prompts import BARE, PromptSet
from dragoman.core.protocols import Suite
from dragoman.core.rules import ITC_RULES, Rules

if TYPE_CHECKING:
    from dragoman.benchmarks.itc.task_sets import CallSet


_PREFIX = "itc:"


class Itc:
    """International Tool Calling: suites named `itc:SET`, or `itc:SET/LANGUAGE` for a part."""

    def suites(self) -> Mapping[str, str]:
        """Return the names of its suites with a line about each."""
        from dragoman.benchmarks.itc.datasets.conversion import set_facts

        return {
            "itc:world": "queries in many languages to invented APIs of many countries; "
            "itc:world/pt for one language; needs no data",
            **{
                f"itc:{name}": f"{facts.about}; needs `dragoman data pull itc-calls`"
                for name, facts in set_facts().items()
            },
        }

    def text_calls_form(self, suite: str) -> str:  # noqa: ARG002 - one for all
        """Return the one form of text that there is."""
        from dragoman.core.apis.itc_answers import FORM

        return FORM

    def load(self, name: str, data: Path) -> Suite:
        """Load a set, or the part of it in one language.

        Raises:
            UsageError: If the set does not exist, or has nothing in the language.
            DataError: If data are missing or damaged.
        """
        from dragoman.benchmarks.itc.datasets.loading import read_file_set
        from dragoman.benchmarks.itc.folder_set import read_folder_set
        from dragoman.benchmarks.itc.suite import ApiSuite
        from dragoman.benchmarks.itc.task_sets import SetTask

        written = name.removeprefix(_PREFIX)
        folder = _folder_of(written)
        if folder is not None:
            return ApiSuite(
                read_folder_set(folder, name, written.rpartition("#")[2] if "#" in written else "")
            )
        file = _file_of(written)
        if file is not None:
            return ApiSuite(read_file_set(file, name, data))
        short, slash, language = written.partition("/")
        found = _load_set(name, short, data)
        if not slash:
            return ApiSuite(found)
        part: tuple[SetTask, ...] = tuple(
            each for each in found.tasks if each.task.language.partition("-")[0] == language
        )
        if not part:
            known = sorted({each.task.language for each in found.tasks})
            raise UsageError(
                f"{name}: it has no queries in {language!r}, but in {', '.join(known)}"
            )
        return ApiSuite(msgspec.structs.replace(found, name=name, tasks=part))

    def tasks_of(self, suite: str) -> str:
        """Return the name of the task set without its part.

        A user's own sets share ids with the sets that they were made from.
        """
        from dragoman.benchmarks.itc.datasets.conversion import set_facts

        written = suite.removeprefix(_PREFIX)
        if _folder_of(written) is not None or _file_of(written) is not None:
            return OWN_DATASET
        short = written.partition("/")[0]
        facts = set_facts().get(short)
        return f"{_PREFIX}{(facts.same_tasks_as if facts else '') or short}"

    def default_rules(self, suite: str) -> str:  # noqa: ARG002 - one for all
        """Return the newest rules; `dragoman-2` and `dragoman-1` judge as they did before."""
        return ITC_RULES.name

    def sources(self) -> Mapping[str, DataSource]:
        """Return where the sets of other projects come from."""
        from dragoman.benchmarks.itc.datasets.loading import CALLS_DATA

        return {"itc-calls": CALLS_DATA}

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:  # noqa: ARG002
        """Return none: what an agent is told stands in the suite's policy."""
        return BARE


def _folder_of(written: str) -> Path | None:
    """Return the folder to which a name is the path, without a split after `#`.

    None if the name is not the path of a folder.
    """
    from dragoman.benchmarks.itc.folder_set import is_folder_set

    folder = Path(written.rpartition("#")[0] or written).expanduser()
    return folder if is_folder_set(folder) else None


def _file_of(written: str) -> Path | None:
    """Return the file that a name is the path of; None where it is none."""
    file = Path(written).expanduser()
    return file if file.is_file() else None


def _load_set(name: str, short: str, data: Path) -> "CallSet":
    from dragoman.benchmarks.itc.datasets.loading import READERS, read_downloaded_set
    from dragoman.benchmarks.itc.world.bundled_set import load_bundled_set

    if short == "world":
        return load_bundled_set()
    if short in READERS:
        return read_downloaded_set(short, data)
    raise UsageError(
        f"unknown suite {name!r}: itc has world, {', '.join(READERS)}, folders that "
        "`dragoman curate export --to suite` wrote, such as itc:./queries_suite, and files of "
        "those sets, such as itc:./test_in_domain.jsonl"
    )


ITC = Itc()
