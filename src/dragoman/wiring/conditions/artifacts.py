"""A suite's translated artifacts: what its domain looks like in each language that is asked for."""

import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from dragoman.conditions.language.artifacts import TASKS, AssetFolder, domains_root
from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.localization import LocalizedInstructions
from dragoman.core.errors import DataError, UsageError
from dragoman.core.facets import Translatable
from dragoman.core.language.translations import EnglishDomain, Release
from dragoman.core.protocols import Suite
from dragoman.core.tasks import Scenario
from dragoman.wiring.conditions.language_assets import given_folder, read_surface


class Artifacts:
    """The artifacts of the domain of one suite; each language is read once."""

    def __init__(self, suite: Suite, assets: str, data: Path) -> None:
        """Prepare reading; nothing is read yet.

        Args:
            suite: The suite.
            assets: The folder that holds `DOMAIN/LANGUAGE`; "" for the artifacts that can be pulled.
            data: The folder of pulled data.
        """
        self._suite = suite
        self._assets = assets
        self._data = data
        self.surface: Callable[[str], DomainSurface] = functools.cache(self._surface)

    @property
    def domain(self) -> str:
        """The name of the domain's folder of artifacts.

        Raises:
            UsageError: Where the suite is of no domain that can be translated.
        """
        return self._english.name

    @property
    def policy_files(self) -> tuple[str, ...]:
        """The names of the files that the policy is made of."""
        return tuple(self._english.policy_files)

    def policy(self, language: str) -> str:
        """Return the policy in a language.

        Raises:
            DataError: Where a part of it is missing.
        """
        policies = self.surface(language).policies
        missing = [name for name in self.policy_files if name not in policies]
        if missing:
            raise DataError(f"{self.domain}/{language}/{missing[0]} is missing: it is the policy")
        return self._english.compose_policy([policies[name] for name in self.policy_files])

    def told(self, language: str) -> dict[str, LocalizedInstructions]:
        """Return what the users of all tasks are told, by task; nothing where the release lacks it.

        Raises:
            DataError: Where the file is damaged, or a task is not translated or is another one.
        """
        content = self.surface(language).tasks
        if content is None:
            return {}
        where = f"{self.domain}/{language}/{TASKS}"
        tasks = self._english.decode_tasks(content, where)
        found = {task.id: LocalizedInstructions(task.scenario, task.ticket) for task in tasks}
        missing = [task.id for task in self._suite.tasks if task.id not in found]
        if missing:
            raise DataError(f"{where}: {len(missing)} tasks are not translated, first {missing[0]}")
        for task in self._suite.tasks:
            if _asked(task.scenario) != _asked(found[task.id].scenario):
                raise DataError(f"{where}: task {task.id} has other facts or deeds than in English")
        return found

    def hashes(self, language: str, names: Sequence[str]) -> dict[str, str]:
        """Return the SHA-256 of those files that are there, by `DOMAIN/LANGUAGE/FILE`."""
        place = f"{self.domain}/{language}"
        given, _ = given_folder(self._named, self._releases, self._data)
        folder = AssetFolder(domains_root(given) / place)
        return {
            f"{place}/{name}": hashlib.sha256(folder.read(name)).hexdigest()
            for name in names
            if name in folder
        }

    def _surface(self, language: str) -> DomainSurface:
        return read_surface(self._english, language, self._named, self._data)

    @property
    def _named(self) -> str:
        """What was named, or the artifacts that can be pulled.

        Raises:
            UsageError: Where there is neither.
        """
        release = self._english.release
        if self._assets or release is not None:
            return self._assets or str(release and release.name)
        raise UsageError(
            f"{self._suite.name} has no translated artifacts to pull: name a folder that holds "
            f"{self.domain}/LANGUAGE with --assets, or have only what is said in another language "
            "(--scenario interaction)"
        )

    @property
    def _releases(self) -> tuple[Release, ...]:
        release = self._english.release
        return () if release is None else (release,)

    @functools.cached_property
    def _english(self) -> EnglishDomain:
        if isinstance(self._suite, Translatable):
            return self._suite.english()
        raise UsageError(
            f"{self._suite.name} has no translated artifacts: only what is said can be in "
            "another language there (--scenario interaction)"
        )


def _asked(scenario: Scenario) -> object:
    """Return what a user without a model can be asked for: names of facts, and deeds."""
    facts = [fact.name for fact in scenario.facts]
    return facts, [(deed.name, deed.arguments) for deed in scenario.deeds]
