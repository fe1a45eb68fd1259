"""What translated artifacts of a domain are read against, and where released ones lie."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from dragoman.core.language.declarations import NOTHING_DECLARED, Declarations
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, Toolset

SOURCE_HASHES = "sources.json"
"""In a folder of artifacts: hashes of the sources that manifests name, by their path upstream."""

ENGLISH_SCHEMAS = "english_fields.json"
"""In a folder of artifacts: the English side of the schema artifacts, by `DOMAIN/FILE`."""


class Release(Protocol):
    """Translated artifacts that can be pulled."""

    @property
    def name(self) -> str:
        """What `dragoman data pull` calls it; stands for its folder where one is asked for."""
        ...

    def folder(self, data: Path) -> Path:
        """Return where it lies under the folder of pulled data."""
        ...

    def require_undamaged(self, prefix: str, data: Path) -> None:
        """Check the pulled files below a path against their pins.

        Raises:
            DataError: Where one is damaged, or one that is pinned is missing.
        """
        ...


class EnglishDomain(msgspec.Struct, frozen=True):
    """A domain's English side.

    Attributes:
        name: The name of its folder of artifacts.
        toolsets: The tools of each side.
        files: Returns its English files by name: policies, databases, tasks.
        databases: Which of these files is the database of a side.
        policy_files: Which of them make the policy.
        compose_policy: Returns the policy, from the texts of those files in their order.
        decode_tasks: Returns the tasks of a translated `tasks.json`, given how to name it in errors;
            raises DataError where it is damaged.
        release: Artifacts that need not be named; None where there are none.
        declared: What artifacts leave out.
        docstrings: Returns the docstrings of tools by side, for sides whose schemas do not say all.
        source_root: The folder of upstream in which manifests say that its files lie; "" for none.
        modules: Returns the texts of the modules with the records of a side, by their path.
    """

    name: str
    toolsets: Mapping[Role, Toolset]
    files: Callable[[], Mapping[str, bytes]]
    databases: Mapping[Role, str]
    policy_files: Sequence[str]
    compose_policy: Callable[[Sequence[str]], str]
    decode_tasks: Callable[[bytes, str], Sequence[Task]]
    release: Release | None = None
    declared: Declarations = NOTHING_DECLARED
    docstrings: Callable[[], Mapping[Role, Mapping[str, str]]] = dict
    modules: Callable[[], Mapping[Role, Mapping[str, str]]] = dict
    source_root: str = ""
