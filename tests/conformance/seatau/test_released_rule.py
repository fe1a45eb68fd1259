"""Behaviour of the released system, derived only from its artifacts, in five languages.

Worked out so, it is what was recorded of it in three of them. In the others nothing is recorded
here, and the same is what our views show and read under `seatau`.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.minimum import at_least

from dragoman.benchmarks.downloads.pinned_data import pull
from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.benchmarks.tau2.upstream_data import derive_schemas, source_folder, tau2_source
from dragoman.composition.conditions.language_artifacts import surface_of
from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.conditions.language.tool_view_rules import ALL_PARTS, SEATAU_VIEW_RULES, Part
from dragoman.conditions.language.tool_views import localized_view
from dragoman.core.protocols import Provenance, ToolView
from dragoman.core.rules import SEATAU_RULES
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolCall, openai_schema

RECORDED = ("vi", "th", "id")
LANGUAGES = (*RECORDED, "tl", "zh")
SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}
PARTS: Mapping[str, frozenset[Part]] = {"S4": ALL_PARTS, "S3": frozenset({"descriptions"})}
SCHEMAS = {"agent": "data_model.json", "user": "user_data_model.json"}
DATABASES = ("db.json", "db.toml", "user_db.toml")

Json = Any
Row = dict[str, Any]


class Rule:
    """One domain in one language by the released system: one label for a value, whatever the field."""

    def __init__(self, released: Path, domain: str, language: str) -> None:
        self._folder = AssetFolder(released / domain / language)
        self._english = json.loads((released / "english_fields.json").read_bytes())["artifacts"]
        self._domain = domain

    def _schemas(self) -> Iterator[tuple[Json, Json]]:
        """Yield the English and the translated schema of each side; the user's comes last."""
        for name in SCHEMAS.values():
            if name in self._folder:
                english = self._english[f"{self._domain}/{name}"]
                yield english, json.loads(self._folder.read(name))

    def _values(self) -> Iterator[tuple[str, str]]:
        for _, schema in self._schemas():
            for value_set in schema["value_sets"].values():
                for value in value_set["values"]:
                    yield value["canonical"], value["localized"]

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each value: that of the last set that has it."""
        return dict(self._values())

    @cached_property
    def values(self) -> dict[str, set[str]]:
        """The values that a label stands for."""
        found: dict[str, set[str]] = {}
        for value, label in self._values():
            found.setdefault(label, set()).add(value)
        return found

    @cached_property
    def descriptions(self) -> dict[str, str]:
        """Translated texts of models and fields, by their English."""
        found: dict[str, str] = {}
        for english, translated in self._schemas():
            for name, model in english["models"].items():
                other = translated["models"][name]
                pairs = [(model, other)]
                pairs += [(each, other["fields"][key]) for key, each in model["fields"].items()]
                found |= {
                    one["description"]: two["description"]
                    for one, two in pairs
                    if one.get("description")
                }
        return found

    @cached_property
    def docstrings(self) -> dict[str, str]:
        """The docstring of each of the agent's tools."""
        texts: dict[str, str] = json.loads(self._folder.read("tools.json"))
        return texts

    @cached_property
    def messages(self) -> list[tuple[re.Pattern[str], str]]:
        """Translations of messages, by their patterns."""
        if "tool_returns.json" not in self._folder:
            return []
        file = json.loads(self._folder.read("tool_returns.json"))
        exact = [
            (re.compile(re.escape(each["source"]) + r"\Z"), each["localized"])
            for each in file["exact"].values()
        ]
        templates = [
            (re.compile(each["pattern"]), each["localized"]) for each in file["templates"].values()
        ]
        return exact + templates

    def shown(self, value: Json) -> Json:
        """Return a result as the agent sees it."""
        if isinstance(value, dict):
            return {key: self.shown(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.shown(part) for part in value]
        if not isinstance(value, str) or value in self.labels:
            return self.labels.get(value, value) if isinstance(value, str) else value
        for pattern, text in self.messages:
            found = pattern.match(value)
            if found:
                return text.format(**found.groupdict())
        return value

    def read(self, value: Json, schema: Json, root: Json) -> Json:
        """Return an argument as the tools get it."""
        if isinstance(value, str):
            allowed = set(listed(schema, root))
            meant = self.values.get(value, set()) & allowed
            return meant.pop() if value not in allowed and len(meant) == 1 else value
        if isinstance(value, list) and "items" in schema:
            return [self.read(part, schema["items"], root) for part in value]
        if isinstance(value, dict) and "properties" in schema:
            parts = schema["properties"]
            return {
                key: self.read(part, parts[key], root) if key in parts else part
                for key, part in value.items()
            }
        return value

    def schema(self, row: Row, scenario: str) -> Json:
        """Return the schema of a tool from the English one."""
        function = row["schema"]["function"]
        parameters = self._chosen(function["parameters"]) if scenario == "S4" else None
        function = {**function, "parameters": parameters or function["parameters"]}
        if row["toolkit"] == "agent":
            function = described(function, self.docstrings[row["tool"]])
        return {**row["schema"], "function": function}

    def _chosen(self, node: Json, *, is_named: bool = False) -> Json:
        """Return a schema with labels and descriptions; the keys of `is_named` are names."""
        if not isinstance(node, dict):
            return [self._chosen(part) for part in node] if isinstance(node, list) else node
        return {
            key: self._chosen(part)
            if is_named
            else self.descriptions.get(part, part)
            if key == "description"
            else self.shown(part)
            if key in {"enum", "const", "default", "examples"}
            else self._chosen(part, is_named=key in {"properties", "$defs"})
            for key, part in node.items()
        }


def listed(schema: Json, root: Json) -> Iterator[str]:
    """Yield the values that a schema lists, in its alternatives too."""
    if "$ref" in schema:
        yield from listed(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    yield from schema.get("enum", ())
    if "const" in schema:
        yield schema["const"]
    for kind in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(kind, ()):
            yield from listed(part, root)


def described(function: Json, docstring: str) -> Json:
    """Return a tool with the descriptions of a docstring."""
    head, *sections = re.split(r"^(Args|Returns|Raises):$", docstring, flags=re.MULTILINE)
    texts = dict(zip(sections[::2], sections[1::2], strict=True)).get("Args", "")
    said = {
        name: re.sub(r"\n +", "\n", text.rstrip())
        for name, text in re.findall(
            r"^ {4}(\w+)(?: \(.*?\))?: (.*(?:\n {5,}.*)*)", texts, flags=re.MULTILINE
        )
    }
    parameters = function["parameters"]
    properties = {
        name: {**part, "description": said[name]} if name in said else part
        for name, part in parameters["properties"].items()
    }
    return {
        **function,
        "description": head.strip(),
        "parameters": {**parameters, "properties": properties},
    }


class Domains:
    """tau2-bench's domains, over databases in English and in the languages of the release."""

    def __init__(self, data: Path, pulled: Path) -> None:
        self._released = data / "seataubench"
        self._pulled = pulled
        self.rule = cache(self._make_rule)
        self.suite = cache(self._make_suite)
        self.view = cache(self._make_view)

    def database(self, domain: str) -> Json:
        """Return a domain's English database."""
        return json.loads((source_folder(self._pulled) / domain / "db.json").read_bytes())

    def _make_rule(self, domain: str, language: str) -> Rule:
        return Rule(self._released, domain, language)

    def _make_suite(self, domain: str, language: str) -> DomainSuite:
        english = source_folder(self._pulled) / domain
        translated = AssetFolder(self._released / domain / language)

        def read(name: str) -> bytes:
            is_translated = name in DATABASES and name in translated
            return translated.read(name) if is_translated else (english / name).read_bytes()

        provenance = Provenance("tau2-bench", "MIT", "", "")
        return DomainSuite(f"tau2:{domain}", read, provenance, DOMAINS[domain])

    def _make_view(
        self, domain: str, language: str, side: Role, parts: frozenset[Part] = ALL_PARTS
    ) -> ToolView:
        surface = surface_of(domain, language, str(self._released), self._pulled)
        tools = self.suite(domain, "en").toolsets.get(side, ())
        return localized_view(
            {each.name: surface for each in tools}, side, SEATAU_VIEW_RULES, parts
        )


@pytest.fixture(scope="module")
def domains(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Domains:
    """The domains as pulled."""
    folder = tmp_path_factory.mktemp("data")
    from_dir = data_folder / "tau2"
    pull(tau2_source(), source_folder(folder), derive=derive_schemas, from_dir=from_dir)
    return Domains(data_folder, folder)


@pytest.fixture(scope="module")
def rows(truth_folder: Path) -> Callable[[str], list[Row]]:
    """Return a function that reads recorded rows."""

    def read(name: str) -> list[Row]:
        path = truth_folder / "seataubench" / f"{name}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    return read


Rows = Callable[[str], list[Row]]


# Recorded behaviour


@pytest.mark.parametrize("language", RECORDED)
def test_the_rule_gives_what_was_recorded(domains: Domains, rows: Rows, language: str) -> None:
    compared: Counter[str] = Counter()
    for row in rows(f"results.{language}"):
        if not row.get("error") and "raw" in row:
            wanted = row["raw"] if row["localized"] == "=raw" else row["localized"]
            assert domains.rule(row["domain"], language).shown(row["raw"]) == wanted, row["id"]
            compared["results"] += 1
    english = {(row["domain"], row["tool"]): row for row in rows("schemas.en")}
    for row in rows(f"schemas.{language}"):
        rule = domains.rule(row["domain"], language)
        assert rule.schema(english[row["domain"], row["tool"]], row["scenario"]) == row["schema"]
        compared["schemas"] += 1
    for row in rows(f"args.{language}"):
        root = english.get((row["domain"], row["tool"]))
        if root is not None and root["toolkit"] == SIDES[row["requestor"]]:
            rule, schema = domains.rule(row["domain"], language), root["schema"]["function"]
            read = rule.read(row["arguments"], schema["parameters"], schema["parameters"])
            assert read == row["normalized"], row["id"]
            compared["arguments"] += 1
    assert compared["results"] >= at_least(1191)
    assert compared["schemas"] == 116
    assert compared["arguments"] >= at_least(981)


# The same, of our views


@pytest.mark.parametrize("language", LANGUAGES)
def test_tools_are_shown_by_the_rule(domains: Domains, rows: Rows, language: str) -> None:
    compared: Counter[str] = Counter()
    for row in rows("schemas.en"):
        domain, side = row["domain"], row["toolkit"]
        for scenario, parts in PARTS.items():
            view = domains.view(domain, language, side, parts)
            shown = view.show(domains.suite(domain, "en").toolsets[side]).tools[row["position"]]
            wanted = domains.rule(domain, language).schema(row, scenario)
            assert openai_schema(shown) == wanted, (scenario, row["tool"])
            compared[scenario] += 1
    assert compared == {"S4": 73, "S3": 73}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_at_every_argument_is_read_by_the_rule(
    domains: Domains, rows: Rows, language: str
) -> None:
    mapped = 0
    for row in rows("schemas.en"):
        domain, side = row["domain"], row["toolkit"]
        rule, view = domains.rule(domain, language), domains.view(domain, language, side)
        root = row["schema"]["function"]["parameters"]
        for name in root["properties"]:
            for text in {*rule.labels, *rule.values}:
                for value in (text, f" {text}", text.upper(), [text], {name: text}):
                    arguments: dict[str, object] = {name: value}
                    read = view.canonical(ToolCall("1", row["tool"], arguments, side)).arguments
                    assert read == rule.read(arguments, root, root), (row["tool"], arguments)
                    mapped += read != arguments
    assert mapped >= at_least(10)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("domain", "answered"),
    [
        ("airline", 142),
        ("retail", 532),
        pytest.param("telecom", 13215, marks=pytest.mark.nightly),
    ],
)
def test_plans_over_a_translated_database_are_answered_as_through_the_view(
    domains: Domains, domain: str, answered: int, language: str
) -> None:
    """The released system plays over the translated database; our worlds stay English."""
    compared = 0
    for task in domains.suite(domain, "en").tasks:
        actions = (task.criteria and task.criteria.actions) or ()
        calls = [ToolCall("1", each.name, each.arguments, each.by) for each in actions]
        for through_view, by_rule in answers(domains, domain, language, task, calls):
            assert through_view == by_rule
            compared += 1
    assert compared == answered


@pytest.mark.parametrize(
    ("language", "renamed"), [("vi", 1051), ("th", 1051), ("id", 1028), ("tl", 161), ("zh", 1051)]
)
def test_every_order_and_product_has_the_names_of_the_translated_database(
    domains: Domains, language: str, renamed: int
) -> None:
    english, translated = domains.suite("retail", "en"), domains.suite("retail", language)
    task = english.tasks[0]
    database = domains.database("retail")
    calls = [ToolCall("1", "list_all_product_types", {})]
    calls += [
        ToolCall("1", "get_product_details", {"product_id": id_}) for id_ in database["products"]
    ]
    calls += [ToolCall("1", "get_order_details", {"order_id": id_}) for id_ in database["orders"]]
    for through_view, by_rule in answers(domains, "retail", language, task, calls):
        assert through_view == by_rule
    environments = [suite.factory(SEATAU_RULES)(task) for suite in (english, translated)]
    changed = sum(
        environments[0].call(call).content != environments[1].call(call).content for call in calls
    )
    assert (len(calls), changed) == (1051, renamed)


def answers(
    domains: Domains, domain: str, language: str, task: Task, calls: Sequence[ToolCall]
) -> Iterator[tuple[Json, Json]]:
    """Yield our view and the rule's result for each call, without refusals."""
    rule = domains.rule(domain, language)
    ours, theirs = (
        domains.suite(domain, code).factory(SEATAU_RULES)(task) for code in ("en", language)
    )
    for call in calls:
        shown = domains.view(domain, language, call.by).present(ours.call(call), call)
        result = theirs.call(call)
        assert shown.error == result.error
        if not result.error:
            yield parsed(shown.content), rule.shown(parsed(result.content))


def parsed(content: str) -> Json:
    return json.loads(content) if content[:1] in {"{", "["} else content
