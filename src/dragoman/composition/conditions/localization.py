"""Localization of conditions: tools, policy and instructions of each side in its language."""

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.composition.conditions.language_artifacts import (
    given_folder,
    languages_there,
    read_surface,
)
from dragoman.composition.conditions.languages import KnownLanguage
from dragoman.conditions.language.artifacts import (
    DATABASES,
    SCHEMA_FILES,
    TASKS,
    TOOL_FILES,
    TOOL_RETURNS,
    AssetFolder,
    domains_root,
)
from dragoman.conditions.language.domain_surface import SIDES, DomainSurface, with_english_names
from dragoman.conditions.language.languages import (
    assign_tools_to_languages,
    find_language,
    shared_instructions,
)
from dragoman.conditions.language.localization import (
    Assignment,
    Localization,
    LocalizedInstructions,
    english_localization,
)
from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.conditions.language.tool_messages import load_refusal_texts
from dragoman.conditions.language.tool_view_rules import ALL_PARTS, Part, ViewRules
from dragoman.conditions.language.tool_views import localized_view
from dragoman.conditions.resolved_condition import IdentityView
from dragoman.core.capabilities import HasQuestions, Translatable
from dragoman.core.conditions import (
    DOMAIN,
    ENGLISH,
    INTERACTION,
    JOIN,
    TOOLS,
    Condition,
    Localized,
    Surface,
    made_by_label,
)
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UnplayableConditionError
from dragoman.core.language.translated_domains import EnglishDomain, Release
from dragoman.core.protocols import Suite, ToolView
from dragoman.core.tasks import Scenario
from dragoman.core.texts.counts import format_count
from dragoman.core.tools import Role
from dragoman.registry.suites import find_benchmark


class SuiteArtifacts:
    """The translated artifacts of one suite's domain; each language is read once."""

    def __init__(self, suite: Suite, assets: str, data: Path) -> None:
        """Store the arguments; no file is read yet.

        Args:
            suite: The suite.
            assets: The folder that holds `DOMAIN/LANGUAGE`; "" for the artifacts that can be
                pulled.
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
            UnplayableConditionError: If the suite has no domain that can be translated.
        """
        return self._english.name

    @property
    def policy_files(self) -> tuple[str, ...]:
        """The names of the files that form the policy."""
        return tuple(self._english.policy_files)

    def policy(self, language: str) -> str:
        """Return the policy in a language.

        Raises:
            DataError: If a part of the policy is missing.
        """
        policies = self.surface(language).policies
        missing = [name for name in self.policy_files if name not in policies]
        if missing:
            raise DataError(f"{self.domain}/{language}/{missing[0]} is missing: it is the policy")
        return self._english.compose_policy([policies[name] for name in self.policy_files])

    def instructions(self, language: str) -> dict[str, LocalizedInstructions]:
        """Return the instructions of the users of all tasks, by task; empty if not released.

        Raises:
            DataError: If the file is damaged, a task is not translated, or a task differs from the
                English one.
        """
        content = self.surface(language).tasks
        if content is None:
            return {}
        where = f"{self.domain}/{language}/{TASKS}"
        tasks = self._english.decode_tasks(content, where)
        found = {task.id: LocalizedInstructions(task.scenario, task.ticket) for task in tasks}
        missing = [task.id for task in self._suite.tasks if task.id not in found]
        if missing:
            tasks_of = format_count(len(missing), "task")
            raise DataError(f"{where}: no translation of {tasks_of}, first {missing[0]}")
        for task in self._suite.tasks:
            if _askable_names(task.scenario) != _askable_names(found[task.id].scenario):
                raise DataError(
                    f"{where}: task {task.id} has other facts or user actions than in English"
                )
        return found

    def hashes(self, language: str, names: Sequence[str]) -> dict[str, str]:
        """Return the SHA-256 of those files that exist, by `DOMAIN/LANGUAGE/FILE`."""
        place = f"{self.domain}/{language}"
        given, _ = given_folder(self._named, self._releases, self._data)
        folder = AssetFolder(domains_root(given) / place)
        return {
            f"{place}/{name}": hashlib.sha256(folder.read(name)).hexdigest()
            for name in names
            if name in folder
        }

    def _surface(self, language: str) -> DomainSurface:
        named = self._named
        there = languages_there(self._english, named, self._data)
        if there and language not in there:
            raise UnplayableConditionError(
                f"{self.domain} has translated artifacts in {', '.join(there)}, not in {language}",
                f"--scenario {INTERACTION}, or --assets with a folder that holds "
                f"{self.domain}/{language}",
            )
        return read_surface(self._english, language, named, self._data)

    @property
    def _named(self) -> str:
        """The named folder or release, otherwise the artifacts that can be pulled.

        Raises:
            UnplayableConditionError: If there is neither.
        """
        release = self._english.release
        if self._assets or release is not None:
            return self._assets or str(release and release.name)
        raise UnplayableConditionError(
            f"{self._suite.name} has no translated artifacts to pull",
            f"--scenario {INTERACTION}, or --assets with a folder that holds "
            f"{self.domain}/LANGUAGE",
        )

    @property
    def _releases(self) -> tuple[Release, ...]:
        release = self._english.release
        return () if release is None else (release,)

    @functools.cached_property
    def _english(self) -> EnglishDomain:
        if isinstance(self._suite, Translatable):
            return self._suite.english()
        raise UnplayableConditionError(
            f"{self._suite.name} has no translated artifacts: only what is said can be in "
            "another language there",
            f"--scenario {INTERACTION}",
        )


def default_scenario(languages: Sequence[str], suite: Suite, assets: str, data: Path) -> str:
    """Return the scenario of languages for which none is named.

    It is the whole domain if artifacts are available in every language, otherwise the conversation
    alone. The languages of one grid are thus compared in one scenario. Questions have no
    conversation that could be in a language alone, so a suite of questions gets the domain.

    Args:
        languages: Codes or files of languages; several that share tools are joined by `+`.
        suite: The suite that is played.
        assets: The folder of artifacts; "" for those that can be pulled.
        data: The folder of pulled data.

    Raises:
        DataError: If the English side of the suite's domain is damaged.
    """
    if any(JOIN in entry for entry in languages):
        return TOOLS
    benchmark = find_benchmark(suite.name)
    if benchmark is not None and isinstance(benchmark, HasQuestions):
        return DOMAIN
    if not isinstance(suite, Translatable):
        return INTERACTION
    english = suite.english()
    given = assets or (english.release.name if english.release is not None else "")
    if not given or not _is_at_hand(english, given, data):
        return INTERACTION
    there = {ENGLISH, *languages_there(english, given, data)}
    return DOMAIN if {find_language(name).code for name in languages} <= there else INTERACTION


def _is_at_hand(english: EnglishDomain, given: str, data: Path) -> bool:
    """Return whether the folder of the given artifacts, or of their release, exists."""
    release = english.release
    is_release = release is not None and release.name == given
    folder = release.folder(data) if release is not None and is_release else Path(given)
    return folder.is_dir()


def _askable_names(scenario: Scenario) -> object:
    """Return the facts and user actions that a user without a model can be asked for."""
    facts = [fact.name for fact in scenario.facts]
    return facts, [
        (user_action.name, user_action.arguments) for user_action in scenario.user_actions
    ]


_IN_TOOLS: frozenset[Surface] = frozenset({"tools", "database"})
"""The surfaces that a side sees through its tools."""


def localizations_of(  # noqa: PLR0913, PLR0917 - what a condition is made of
    conditions: Sequence[Condition],
    languages: Mapping[str, KnownLanguage],
    suite: Suite,
    artifacts: SuiteArtifacts,
    rules: ViewRules,
    unplayable: dict[str, str] | None = None,
) -> dict[str, Localization]:
    """Return the localization of each condition that applies to a suite, by label.

    Args:
        conditions: The conditions.
        languages: Their languages by code, English among them.
        suite: The suite that is played.
        artifacts: The translated artifacts of its domain.
        rules: The rules for showing tools in a language and for reading calls.
        unplayable: Receives, by label, the reason why a condition lacks artifacts; None raises an
            error.

    Raises:
        UnplayableConditionError: If a suite has no translated artifacts for a condition.
        DataError: If artifacts are missing or damaged.
    """

    def localization(condition: Condition) -> Localization:
        if condition.localized is None:
            return english_localization(condition)
        return _localization(condition, condition.localized, languages, artifacts, rules)

    applicable = (each for each in conditions if not suite.not_applicable(each))
    return made_by_label(applicable, localization, unplayable)


def _localization(
    condition: Condition,
    localized: Localized,
    languages: Mapping[str, KnownLanguage],
    artifacts: SuiteArtifacts,
    rules: ViewRules,
) -> Localization:
    first = languages[localized.languages[0]].language
    spoken = languages[condition.language].language
    assignments = _assignments(localized, artifacts)
    views = _views(assignments, localized, rules)
    has = frozenset(localized.surfaces)
    user_instructions = artifacts.instructions(first.code) if "tasks" in has else {}
    # A participant without a model speaks the language of the task's facts and keywords.
    phrases = languages[first.code].phrases if user_instructions else None
    notes = [*_left_in_english(localized, artifacts)]
    if user_instructions and phrases is None:
        notes.append(_without_phrases(first.code))
    return Localization(
        condition=condition,
        record=msgspec.structs.replace(
            language_instructions(condition, languages),
            tools={
                side: {tool: each.language if each else ENGLISH for tool, each in tools.items()}
                for side, tools in assignments.items()
            },
            assets=_used_files(localized, artifacts),
            shown={
                side: views[side]
                .show(artifacts.surface(first_language(localized)).tools[side])
                .digest
                for side in assignments
            },
            tool_texts={
                code: content_key(load_refusal_texts(code))
                for code in (localized.languages if assignments else ())
                if code != ENGLISH
            },
            view_rules=rules.name if assignments else "",
            greeting=first.greeting if "greeting" in has else "",
            phrases="" if phrases is None else phrases.name,
            notes=tuple(notes),
        ),
        views=views,
        assignments=assignments,
        policy=artifacts.policy(first.code) if "policy" in has else None,
        user_instructions=user_instructions,
        numbers=spoken.numbers,
        dates=spoken.dates,
        phrases=phrases,
    )


def language_instructions(
    condition: Condition, languages: Mapping[str, KnownLanguage]
) -> LocalizationRecord:
    """Return what both sides of a condition are told about the language to speak."""
    localized = condition.localized
    spoken = languages[condition.language].language
    if localized is None or "conversation" not in localized.surfaces:
        return LocalizationRecord(relatives=spoken.relatives)
    return LocalizationRecord(
        localization_instructions=shared_instructions().name,
        instructions={side: shared_instructions().text(side, spoken) for side in SIDES},
        habits=content_key(spoken.numbers, spoken.dates),
        detector=spoken.detector,
        relatives=spoken.relatives,
    )


def first_language(localized: Localized) -> str:
    """Return the first language that is not English; there is always one."""
    return next(code for code in localized.languages if code != ENGLISH)


def _assignments(localized: Localized, artifacts: SuiteArtifacts) -> dict[Role, Assignment]:
    """Return the surface of each tool by side.

    A user's tools are in the language that the user speaks.
    """
    if _IN_TOOLS.isdisjoint(localized.surfaces):
        return {}
    surfaces = {
        code: None if code == ENGLISH else _visible_surface(artifacts.surface(code), localized)
        for code in localized.languages
    }
    found: dict[Role, Assignment] = {}
    for side, toolset in artifacts.surface(first_language(localized)).tools.items():
        if side == "agent" or "conversation" in localized.surfaces:
            dealt = assign_tools_to_languages(toolset.by_name, localized.languages, localized.seed)
            found[side] = {tool: surfaces[code] for tool, code in dealt.items()}
    return found


def _visible_surface(surface: DomainSurface, localized: Localized) -> DomainSurface:
    """Return a surface; its names are English if the condition's database is English."""
    if "database" in localized.surfaces:
        return surface
    return with_english_names(surface)


def _views(
    assignments: Mapping[Role, Assignment], localized: Localized, rules: ViewRules
) -> dict[Role, ToolView]:
    parts, plain = _parts(localized, rules), IdentityView()
    return {
        side: localized_view(assignments[side], side, rules, parts)
        if side in assignments
        else plain
        for side in SIDES
    }


def _parts(localized: Localized, rules: ViewRules) -> frozenset[Part]:
    """Return the parts of tools that are in the language.

    The released system translates shared tools only in their texts.
    """
    if "tools" not in localized.surfaces:
        return frozenset({"results"})
    is_released = not rules.described_labels_are_taken
    return frozenset({"descriptions"}) if is_released and localized.is_shared else ALL_PARTS


def _used_files(localized: Localized, artifacts: SuiteArtifacts) -> dict[str, str]:
    """Return the hashes of the files that a condition's surfaces are built from."""
    names: list[str] = []
    for surface in localized.surfaces:
        match surface:
            case "tools":
                names += [*SCHEMA_FILES.values(), *TOOL_FILES.values(), TOOL_RETURNS]
            case "database":
                names += [*SCHEMA_FILES.values()]
                names += [name for each in DATABASES.values() for name in each]
            case "policy":
                names += artifacts.policy_files
            case "tasks":
                names.append(TASKS)
            case "conversation" | "greeting":
                pass
    codes = [code for code in localized.languages if code != ENGLISH]
    return {
        file: digest
        for code in (codes if names else ())
        for file, digest in artifacts.hashes(code, tuple(dict.fromkeys(names))).items()
    }


def _left_in_english(localized: Localized, artifacts: SuiteArtifacts) -> Iterator[str]:
    """Yield a note about each part that stays English for lack of a translation."""
    for code in localized.languages:
        surface = artifacts.surface(code) if code != ENGLISH and _reads(localized) else None
        if surface is None:
            continue
        if "database" in localized.surfaces:
            yield from _names_left(code, surface)
        if "tasks" in localized.surfaces and surface.tasks is None:
            yield f"{code}: no tasks in {artifacts.domain}: what users are told stays English"
        elif _names_differ(localized, surface):
            yield (
                f"{code}: users say the names of {artifacts.domain} in the language, and its "
                "database is English: nobody is found by them without the surface database"
            )


def _names_left(code: str, surface: DomainSurface) -> Iterator[str]:
    """Yield notes about database names that stay English: of a file, or of value sets."""
    for side in () if surface.declared.names else surface.tools:
        if side not in surface.databases:
            yield f"{code}: no database of the {side} in {surface.domain}: its names stay English"
        elif (left := surface.names_left(side))[0]:
            yield _english_names(code, side, surface.domain, *left)
    missing = sorted(surface.declared.names - surface.value_sets.keys())
    if missing:
        yield f"{code}: no {', '.join(missing)} in {surface.domain}: these names stay English"


def _names_differ(localized: Localized, surface: DomainSurface) -> bool:
    """Return whether users are told translated names while the database is English."""
    translated = surface.declared.names & surface.value_sets.keys()
    return (
        "tasks" in localized.surfaces and "database" not in localized.surfaces and bool(translated)
    )


def _english_names(code: str, side: Role, domain: str, left: int, names: int) -> str:
    return (
        f"{code}: {left:,} of {names:,} names in the database of the {side} in {domain} are as "
        "in English"
    )


def _without_phrases(code: str) -> str:
    return (
        f"{code}: no phrases: diagnostic agents, and users without a model, speak and "
        "understand English"
    )


def _reads(localized: Localized) -> bool:
    return bool({"database", "tasks"}.intersection(localized.surfaces))
