"""A suite's translated artifacts: what its domain looks like in each language that is asked for."""

import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from dragoman.benchmarks.kit.world import Domain
from dragoman.benchmarks.tau2.seataubench.upstream import source_folder
from dragoman.benchmarks.tau2.suite import ALL_DOMAINS
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.conditions.language.artifacts import TASKS
from dragoman.conditions.language.folders import AssetFolder, domains_root
from dragoman.conditions.language.localization import Told
from dragoman.conditions.language.surface import DomainSurface
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Suite
from dragoman.wiring.language_assets import PULLED, surface_of


class Artifacts:
    """The artifacts of the domain of one suite; each language is read once."""

    def __init__(self, suite: Suite, assets: str, data: Path) -> None:
        """Prepare reading; nothing is read yet.

        Args:
            suite: The suite.
            assets: The folder that holds `DOMAIN/LANGUAGE`; "" for the pulled artifacts.
            data: The folder of pulled data.
        """
        self._suite = suite
        self._assets = assets or PULLED
        self._data = data
        self.surface: Callable[[str], DomainSurface] = functools.cache(self._surface)

    @property
    def domain(self) -> str:
        """The name of the domain's folder of artifacts.

        Raises:
            UsageError: Where the suite is of no domain that was translated.
        """
        name = self._domain_name()
        return ALL_DOMAINS[name].folder or name

    @property
    def policy_files(self) -> tuple[str, ...]:
        """The names of the files that the policy is made of."""
        return self._domain().policy_files

    def policy(self, language: str) -> str:
        """Return the policy in a language.

        Raises:
            DataError: Where a part of it is missing.
        """
        policies = self.surface(language).policies
        missing = [name for name in self.policy_files if name not in policies]
        if missing:
            raise DataError(f"{self.domain}/{language}/{missing[0]} is missing: it is the policy")
        return self._domain().compose_policy([policies[name] for name in self.policy_files])

    def told(self, language: str) -> dict[str, Told]:
        """Return what the users of all tasks are told, by task; nothing where the release lacks it.

        Raises:
            DataError: Where the file is damaged, or a task is not translated.
        """
        content = self.surface(language).tasks
        if content is None:
            return {}
        where = f"{self.domain}/{language}/{TASKS}"
        tasks = decode_tasks(content, self._suite.name, self._domain(), where)
        found = {task.id: Told(task.scenario, task.ticket) for task in tasks}
        missing = [task.id for task in self._suite.tasks if task.id not in found]
        if missing:
            raise DataError(f"{where}: {len(missing)} tasks are not translated, first {missing[0]}")
        return found

    def hashes(self, language: str, names: Sequence[str]) -> dict[str, str]:
        """Return the SHA-256 of those files that are there, by `DOMAIN/LANGUAGE/FILE`."""
        place = f"{self.domain}/{language}"
        given = source_folder(self._data) if self._assets == PULLED else Path(self._assets)
        folder = AssetFolder(domains_root(given) / place)
        return {
            f"{place}/{name}": hashlib.sha256(folder.read(name)).hexdigest()
            for name in names
            if name in folder
        }

    def _surface(self, language: str) -> DomainSurface:
        return surface_of(self.domain, language, self._assets, self._data)

    def _domain(self) -> Domain:
        return ALL_DOMAINS[self._domain_name()]

    def _domain_name(self) -> str:
        source, _, rest = self._suite.name.partition(":")
        name = rest.split(":")[0]
        if source != "tau2" or name not in ALL_DOMAINS:
            raise UsageError(
                f"{self._suite.name} has no translated artifacts: only what is said can be in another "
                "language there (--scenario interaction)"
            )
        return name
