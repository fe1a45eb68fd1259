"""What a plan says: the dataset, and the settings of each step; a step without a table is left out."""

from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.curation.apis.desk import ModelTerms
from dragoman.curation.apis.generating.briefs import BriefPlan
from dragoman.curation.apis.splitting.sides import SplitPlan
from dragoman.curation.apis.verifying.filtering import FilterRules
from dragoman.curation.apis.verifying.line import CallTerms


class CollectTable(msgspec.Struct, frozen=True):
    """Sources, and what is said of all in them where documents say nothing."""

    sources: tuple[Path, ...]
    source_name: str = ""
    country: str = ""
    language: str = ""
    licence: str = ""
    fetch_refs: bool = False


class VerifyTable(msgspec.Struct, frozen=True):
    """How many calls there are of each operation, at most, and which cassettes stand for the network."""

    calls: int = 2
    cassettes: Path | None = None


class MonitorTable(msgspec.Struct, frozen=True):
    """How many rounds are needed; each run of the plan makes one, until there are so many."""

    rounds: int = 1

    def __post_init__(self) -> None:
        """See that there is one.

        Raises:
            UsageError: For less.
        """
        if self.rounds < 1:
            raise UsageError(f"rounds {self.rounds}: at least 1")


class GenerateTable(msgspec.Struct, frozen=True):
    """Who writes queries, how many of each brief, and which briefs."""

    model: str = "template"
    count: int = 3
    kinds: dict[str, int] = {}
    offered: int = 8
    seed: int = 0

    @property
    def briefs(self) -> BriefPlan:
        """Which briefs are drawn.

        Raises:
            UsageError: For a kind that does not exist, or a number that makes no sense.
        """
        return BriefPlan(self.kinds, self.offered, self.seed)


class RateTable(msgspec.Struct, frozen=True):
    """Who rates, by commas, and what a query needs with each."""

    model: str
    threshold: float = 4.0


class AnswerTable(msgspec.Struct, frozen=True):
    """Who answers, by commas, and what calls of nested queries return."""

    model: str = "template"
    calls: str = "none"


class CheckTable(msgspec.Struct, frozen=True):
    """Who checks, by commas; "rules" for rules alone."""

    model: str = "rules"


class ExportTable(msgspec.Struct, frozen=True):
    """A form, and the folder that is written."""

    to: str
    out: Path


class CurationPlan(msgspec.Struct, frozen=True):
    """All of it.

    Attributes:
        dataset: The folder of the dataset.
        tries: How often a step is walked, in one run of the plan, for what failed in it.
        collect: Sources.
        calls: How APIs are called, by all steps that call them.
        models: How models are asked, by all steps that ask them.
    """

    dataset: Path
    collect: tuple[CollectTable, ...]
    tries: int = 3
    calls: CallTerms = CallTerms()
    models: ModelTerms = ModelTerms()
    verify: VerifyTable | None = None
    monitor: MonitorTable | None = None
    filter: FilterRules | None = None
    generate: GenerateTable | None = None
    rate: RateTable | None = None
    answer: AnswerTable | None = None
    check: CheckTable | None = None
    split: SplitPlan | None = None
    export: tuple[ExportTable, ...] = ()
