"""tau2-bench's entry in the registry: names, capabilities and lazy loading of its suites."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.capabilities import DataSource
from dragoman.core.conditions import Condition
from dragoman.core.errors import UsageError
from dragoman.core.language.translated_domains import EnglishDomain, Release
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import Suite
from dragoman.core.result_files import DomainFacts, ImportedRun, LabelledFile, ResultFormat
from dragoman.core.rules import OUR_RULES, Rules, rules_with_record_answers

_SUITES = {
    "tau2:airline": "tau2-bench airline, 50 tasks; needs `dragoman data pull tau2`",
    "tau2:retail": "tau2-bench retail, 114 tasks; needs `dragoman data pull tau2`",
    "tau2:telecom": "tau2-bench telecom, 114 tasks, the user has tools; needs the same",
    "tau2:telecom-workflow": "the same with the support policy as a workflow",
    "tau2:telecom-solo": "the same for an agent that works alone, from a ticket",
    "tau2:telecom-workflow-solo": "both",
}


class Tau2:
    """tau2-bench, whose suites are named `tau2:DOMAIN` or `tau2:DOMAIN:SPLIT`."""

    def suites(self) -> Mapping[str, str]:
        """Return the names of its suites with a line about each."""
        return _SUITES

    def load(self, name: str, data: Path) -> Suite:
        """Load a split of a domain, `base` if none is named.

        Raises:
            UsageError: If the domain or the split does not exist.
            DataError: If data are missing or damaged.
        """
        from dragoman.benchmarks.tau2.suite import ALL_DOMAINS
        from dragoman.benchmarks.tau2.upstream_data import load_downloaded_suite

        domain, _, split = name.partition(":")[2].partition(":")
        if domain not in ALL_DOMAINS:
            raise UsageError(f"unknown suite {name!r}: tau2 has {', '.join(ALL_DOMAINS)}")
        return load_downloaded_suite(domain, data, split or "base")

    def tasks_of(self, suite: str) -> str:
        """Return the domain of a suite.

        Splits, other forms of its policy, and solo agents have the same tasks.
        """
        _, domain, *_ = (*suite.split(":"), "")
        return f"tau2:{domain.removesuffix('-solo').removesuffix('-workflow')}"

    def sources(self) -> Mapping[str, DataSource]:
        """Return where its data come from, and those of its translations."""
        from dragoman.benchmarks.tau2.seataubench import SEATAUBENCH_DATA
        from dragoman.benchmarks.tau2.upstream_data import TAU2_DATA

        return {"tau2": TAU2_DATA, "seataubench": SEATAUBENCH_DATA}

    def has_results(self, path: Path) -> bool:
        """Return whether a folder has the form with a file per simulation."""
        return (path / "results.json").exists()

    def read_results(self, path: Path, data: Path, form: str | None) -> ImportedRun:  # noqa: ARG002
        """Read a result file, or the folder of the form with a file per simulation.

        Raises:
            DataError: If the file is missing, damaged or contradicts itself.
            UsageError: If a form is named: these files store calls as such.
        """
        from dragoman.benchmarks.tau2.result_import import read_run

        if form is not None:
            raise UsageError(f"--format is for result files of BFCL, and {path} is none")
        return read_run(path)

    def read_labelled(self, path: Path) -> LabelledFile:
        """Read a result file whose conversations are labelled.

        Raises:
            DataError: If the file is missing, damaged or contradicts itself.
        """
        from dragoman.benchmarks.tau2.result_import import read_labelled

        return read_labelled(path)

    def describe(self, domain: str) -> DomainFacts | None:
        """Return a domain's tools and its risk profile."""
        from dragoman.benchmarks.tau2.suite import ALL_DOMAINS, domain_risk_profile

        if domain not in ALL_DOMAINS:
            return None
        return DomainFacts(ALL_DOMAINS[domain].kinds["agent"], domain_risk_profile(domain))

    def result_format(self) -> ResultFormat:
        """Return how runs are written as its result files."""
        from dragoman.benchmarks.tau2.result_export import Tau2Results

        return Tau2Results()

    def translated_domains(self) -> Sequence[str]:
        """Return the names of the folders of artifacts: its domains."""
        from dragoman.benchmarks.tau2.suite import DOMAINS

        return tuple(DOMAINS)

    def english(self, domain: str, data: Path) -> EnglishDomain:
        """Return a domain's English side as pulled.

        Raises:
            DataError: If it is not pulled, or damaged.
        """
        from dragoman.benchmarks.tau2.upstream_data import english_domain

        return english_domain(domain, data)

    def releases(self) -> Sequence[Release]:
        """Return the artifacts that can be pulled."""
        from dragoman.benchmarks.tau2.seataubench import RELEASE

        return (RELEASE,)

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:  # noqa: ARG002
        """Return our prompts; under the reference's rules, with its guidelines for the user.

        The reference's texts for agent and judge are not among the pulled files: those stay ours.

        Raises:
            DataError: If the guidelines are not pulled.
        """
        if not rules.guidelines_are_the_references:
            return ours
        from dragoman.benchmarks.tau2.upstream_data import user_guidelines

        without, with_tools = user_guidelines(data)
        return msgspec.structs.replace(
            ours, name="tau2-1.0.1", user=without, user_with_tools=with_tools
        )

    def rules_under(self, suite: str, rules: Rules, conditions: Sequence[Condition]) -> Rules:
        """Return the rules, with the phone answering in records where its user reads translations.

        Its sentences are in no artifact. The rules' name says so, and every cell of the grid is
        played under them, the English ones too.
        """
        has_phone = suite.startswith("tau2:telecom") and any(
            {"conversation", "tools"} <= set(entry.localized.surfaces)
            for entry in conditions
            if entry.localized is not None
        )
        return rules_with_record_answers(rules) if has_phone and rules in OUR_RULES else rules


TAU2 = Tau2()
