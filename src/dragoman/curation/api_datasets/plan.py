"""Curation plans: a TOML file with the settings of each step.

Error messages name the line in the file.
"""

import difflib
import re
import tomllib
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import MOST_BYTES, load_toml
from dragoman.curation.api_datasets.probing.api_client import CallOptions
from dragoman.curation.api_datasets.probing.filter import FilterRules
from dragoman.curation.api_datasets.query_briefs import BriefPlan
from dragoman.curation.api_datasets.split import SplitPlan
from dragoman.curation.llm_clients import ModelOptions
from dragoman.store.safe_files import read_bounded


class CollectTable(msgspec.Struct, frozen=True):
    """Sources, and facts for all documents that do not state them."""

    sources: tuple[Path, ...]
    source_name: str = ""
    country: str = ""
    language: str = ""
    licence: str = ""
    fetch_refs: bool = False


class VerifyTable(msgspec.Struct, frozen=True):
    """The maximum number of calls per operation and the cassettes that replace the network."""

    calls: int = 2
    cassettes: Path | None = None


class MonitorTable(msgspec.Struct, frozen=True):
    """Number of monitoring rounds.

    Each run of the plan makes one round until there are so many.
    """

    rounds: int = 1

    def __post_init__(self) -> None:
        """Require at least one round.

        Raises:
            UsageError: For a smaller number.
        """
        if self.rounds < 1:
            raise UsageError(f"rounds {self.rounds}: at least 1")


class GenerateTable(msgspec.Struct, frozen=True):
    """The writer of queries, the number of queries for each brief, and the briefs."""

    model: str = "template"
    count: int = 3
    kinds: dict[str, int] = {}
    offered: int = 8
    seed: int = 0

    @property
    def briefs(self) -> BriefPlan:
        """The plan of the briefs.

        Raises:
            UsageError: For a kind that does not exist, or an invalid number.
        """
        return BriefPlan(self.kinds, self.offered, self.seed)


class RateTable(msgspec.Struct, frozen=True):
    """The raters, separated by commas, and the threshold that a query must reach with each."""

    model: str
    threshold: float = 4.0


class AnswerTable(msgspec.Struct, frozen=True):
    """The models that answer, separated by commas, and the source of call results."""

    model: str = "template"
    calls: str = "none"


class CheckTable(msgspec.Struct, frozen=True):
    """The models that check, separated by commas; "rules" for rules alone."""

    model: str = "rules"


class ExportTable(msgspec.Struct, frozen=True):
    """A format, and the folder to write."""

    to: str
    out: Path


class CurationPlan(msgspec.Struct, frozen=True):
    """A curation plan.

    Attributes:
        dataset: The folder of the dataset.
        tries: Most attempts of a step at failed items in one run of the plan.
        collect: Sources.
        calls: Options of API calls, for all steps that make calls.
        models: Options of model requests, for all steps that ask models.
    """

    dataset: Path
    collect: tuple[CollectTable, ...]
    tries: int = 3
    calls: CallOptions = CallOptions()
    models: ModelOptions = ModelOptions()
    verify: VerifyTable | None = None
    monitor: MonitorTable | None = None
    filter: FilterRules | None = None
    generate: GenerateTable | None = None
    rate: RateTable | None = None
    answer: AnswerTable | None = None
    check: CheckTable | None = None
    split: SplitPlan | None = None
    export: tuple[ExportTable, ...] = ()


_TABLES: dict[str, type[msgspec.Struct]] = {
    "calls": CallOptions,
    "models": ModelOptions,
    "verify": VerifyTable,
    "monitor": MonitorTable,
    "filter": FilterRules,
    "generate": GenerateTable,
    "rate": RateTable,
    "answer": AnswerTable,
    "check": CheckTable,
    "split": SplitPlan,
}
_LISTS: dict[str, type[msgspec.Struct]] = {"collect": CollectTable, "export": ExportTable}
_TOP = {"dataset": str, "tries": int}
_at_line = re.compile(r" \(at line (\d+), column \d+\)")
_in_key = re.compile(r" - at `\$\.?(\w*)")


def example_plan() -> str:
    """Return an example plan with a comment for each step."""
    return (files(__package__) / "example.toml").read_text("utf-8")


def read_plan(path: Path) -> CurationPlan:
    """Read a plan.

    Raises:
        UsageError: If the plan cannot be read or has an invalid entry; the message names the line.
    """
    try:
        return _Plan(path, read_bounded(path, MOST_BYTES).decode("utf-8")).read()
    except OSError as error:
        raise UsageError(f"{path}: the plan cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not a TOML file ({error})") from error


class _Plan:
    """A plan's text, so that errors can name the line."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()
        self._text = text

    def read(self) -> CurationPlan:
        try:
            content = load_toml(self._text)
        except tomllib.TOMLDecodeError as error:
            found = _at_line.search(str(error))
            line = int(found.group(1)) if found else 0
            self._refuse(line, _at_line.sub("", str(error)))
        self._known(content, {*_TOP, *_TABLES, *_LISTS}, ("", 0))
        for name, kind in _TOP.items():
            if name in content and type(content[name]) is not kind:
                self._refuse(self._line(("", 0), name), f"{name}: of another type")
        if not content.get("dataset"):
            self._refuse(0, "no dataset: name a folder with dataset = ...")
        if not content.get("collect"):
            self._refuse(0, "nothing to collect: name sources in a table [[collect]]")
        if content.get("tries", 1) < 1:
            self._refuse(self._line(("", 0), "tries"), f"tries {content['tries']}: at least 1")
        read: dict[str, Any] = {
            name: self._table(content[name], kind, (name, 0))
            for name, kind in _TABLES.items()
            if name in content
        }
        for name, kind in _LISTS.items():
            read[name] = self._list(content.get(name, []), kind, name)
        tries = content.get("tries", 3)
        plan = CurationPlan(Path(content["dataset"]), tries=tries, **read)
        self._briefs(plan)
        return plan

    def _list(
        self, tables: object, kind: type[msgspec.Struct], name: str
    ) -> tuple[msgspec.Struct, ...]:
        if not isinstance(tables, list):
            self._refuse(self._line((name, 0), ""), f"{name} is written [[{name}]]")
        return tuple(self._table(each, kind, (name, at)) for at, each in enumerate(tables))

    def _table(
        self, table: object, kind: type[msgspec.Struct], place: tuple[str, int]
    ) -> msgspec.Struct:
        name = place[0]
        if not isinstance(table, dict):
            self._refuse(self._line(place, ""), f"{name} is a table: [{name}]")
        self._known(table, {field.encode_name for field in msgspec.structs.fields(kind)}, place)
        try:
            return msgspec.convert(table, kind, dec_hook=_decode_path)
        except msgspec.ValidationError as error:
            found = _in_key.search(str(error))
            key = found.group(1) if found else ""
            reason = f"{key}: {error}" if key else str(error)
            self._refuse(self._line(place, key), f"[{name}] {_in_key.split(reason)[0]}")
        except UsageError as error:
            self._refuse(self._line(place, ""), f"[{name}] {error}")

    def _known(
        self, table: dict[str, object], known: Collection[str], place: tuple[str, int]
    ) -> None:
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = (
                    f"did you mean {near[0]!r}?"
                    if near
                    else f"it is one of {', '.join(sorted(known))}"
                )
                where = f"[{place[0]}] has no key" if place[0] else "no key of plans:"
                self._refuse(self._line(place, key), f"{where} {key!r:.60}: {hint}")

    def _briefs(self, plan: CurationPlan) -> None:
        try:
            _ = plan.generate and plan.generate.briefs
        except UsageError as error:
            self._refuse(self._line(("generate", 0), ""), f"[generate] {error}")

    def _line(self, place: tuple[str, int], key: str) -> int:
        """Return the line of a key in a table, or that of the table, or 0."""
        name, at = place
        here, seen, found = "", -1, 0
        for number, line in enumerate(self._lines, 1):
            header = re.match(r"\s*\[\[?\s*([\w-]+)", line)
            if header:
                here = header.group(1)
                seen += here == name
                if here == (name or key) and seen in {at, -1}:
                    found = number
            elif (
                here == name
                and seen in {at, -1}
                and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line)
            ):
                return number
        return found

    def _refuse(self, line: int, reason: str) -> NoReturn:
        where = f"{self._path}, line {line}" if line else str(self._path)
        raise UsageError(f"{where}: {reason}")


def _decode_path(kind: type, value: object) -> object:
    """Convert a value that TOML has no type for."""
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise TypeError(f"expected a path, got {value!r:.60}")
