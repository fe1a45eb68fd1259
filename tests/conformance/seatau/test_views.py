"""Tools in a language against what SEATauBench recorded, and against the English worlds.

Under `seatau` every row is repeated. If our own rules differ, the class of the difference is listed
with the number of its rows.
"""

import gzip
import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.minimum import at_least

from dragoman.benchmarks.downloads.pinned_data import pull
from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.benchmarks.tau2.upstream_data import derive_schemas, source_folder, tau2_source
from dragoman.composition.conditions.language_artifacts import surface_of
from dragoman.conditions.language.domain_surface import DomainSurface
from dragoman.conditions.language.field_trees import EVERY, to_labels
from dragoman.conditions.language.tool_view_rules import (
    ALL_PARTS,
    DEFAULT_VIEW_RULES,
    SEATAU_VIEW_RULES,
    Part,
    ViewRules,
)
from dragoman.conditions.language.tool_views import localized_view
from dragoman.conditions.language.value_sets import ValueSet
from dragoman.core.protocols import Provenance, ToolView
from dragoman.core.rules import DEFAULT_RULES, SEATAU_RULES, rules_with_record_answers
from dragoman.core.tools import Role, ToolCall, ToolResult, openai_schema

LANGUAGES = ("vi", "th", "id", "tl", "zh")
RECORDED = ("vi", "th", "id")
SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}
DESCRIPTIONS: frozenset[Part] = frozenset({"descriptions"})

OURS_READ_MORE = {
    "alias_not_resolved": 156,
    "label_variant_not_resolved": 217,
    "plain_string_literal_not_normalized": 66,
    "nested_anyof_not_descended": 4,
    "a cancellation's reason beside arguments that do not exist": 3,
}
"""Calls that we read and the released system does not, by defect."""

OURS_SHOW_OTHERWISE = {
    "a refusal is explained, not coded": 340,
    "a value that another set labels otherwise": 33,
    "`phone` is a permission here, not a device": 15,
    "a message that no artifact translates": 21,
}
"""Results that we show otherwise than the released system, by reason."""

Row = dict[str, Any]


def rows_of(folder: Path, name: str) -> Iterator[Row]:
    path = folder / "seataubench" / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Domains:
    """tau2-bench's domains, and their released artifacts."""

    def __init__(self, data: Path, pulled: Path) -> None:
        self._released = str(data / "seataubench")
        self._pulled = pulled
        self.surface = cache(self._load_surface)
        self.view = cache(self._make_view)
        self.calls = cache(self._list_calls)
        self.suites = {name: self._suite(name) for name in DOMAINS}

    def _suite(self, domain: str) -> DomainSuite:
        folder = source_folder(self._pulled) / domain
        return DomainSuite(
            f"tau2:{domain}",
            lambda file: (folder / file).read_bytes(),
            Provenance("tau2-bench", "MIT", "", ""),
            DOMAINS[domain],
        )

    def _load_surface(self, domain: str, language: str) -> DomainSurface:
        return surface_of(domain, language, self._released, self._pulled)

    def _make_view(
        self,
        domain: str,
        language: str,
        side: Role,
        rules: ViewRules = DEFAULT_VIEW_RULES,
        parts: frozenset[Part] = ALL_PARTS,
    ) -> ToolView:
        """Return the view of one side of a domain, all in one language."""
        tools = self.suites[domain].toolsets.get(side, ())
        surface = self.surface(domain, language)
        return localized_view({tool.name: surface for tool in tools}, side, rules, parts)

    def _list_calls(self, domain: str) -> list[ToolCall]:
        """Return the calls of all reference plans, and some that are refused."""
        planned = {
            (action.name, msgspec.json.encode(action.arguments), action.by)
            for task in self.suites[domain].tasks
            for action in ((task.criteria and task.criteria.actions) or ())
        }
        refused = [
            ToolCall("1", tool.name, {"nonsense": "x"}, side)
            for side, tools in self.suites[domain].toolsets.items()
            for tool in tools
        ]
        return [
            *(
                ToolCall("1", name, msgspec.json.decode(text), by)
                for name, text, by in sorted(planned)
            ),
            *refused,
        ]


@pytest.fixture(scope="module")
def domains(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Domains:
    """The domains as pulled."""
    folder = tmp_path_factory.mktemp("data")
    from_dir = data_folder / "tau2"
    pull(tau2_source(), source_folder(folder), derive=derive_schemas, from_dir=from_dir)
    return Domains(data_folder, folder)


# Recorded behaviour


@pytest.mark.parametrize("language", RECORDED)
def test_schemas_are_those_of_the_released_system(
    truth_folder: Path, domains: Domains, language: str
) -> None:
    compared: Counter[str] = Counter()
    for row in rows_of(truth_folder, f"schemas.{language}"):
        parts = ALL_PARTS if row["scenario"] == "S4" else DESCRIPTIONS
        view = domains.view(row["domain"], language, row["toolkit"], SEATAU_VIEW_RULES, parts)
        shown = view.show(domains.suites[row["domain"]].toolsets[row["toolkit"]])
        assert openai_schema(shown.tools[row["position"]]) == row["schema"], row["tool"]
        compared[row["scenario"]] += 1
    assert compared == {"S4": 73, "S3": 43}


@pytest.mark.parametrize("language", RECORDED)
def test_arguments_are_read_as_the_released_system_reads_them(
    truth_folder: Path, domains: Domains, language: str
) -> None:
    compared = 0
    for row in rows_of(truth_folder, f"args.{language}"):
        side = SIDES[row["requestor"]]
        view = domains.view(row["domain"], language, side, SEATAU_VIEW_RULES)
        assert view.canonical(called(row, side)).arguments == row["normalized"], row["id"]
        compared += 1
    assert compared >= at_least(901)


def test_our_rules_read_what_is_expected_and_more_than_the_released_system(
    truth_folder: Path, domains: Domains
) -> None:
    more: Counter[str] = Counter()
    for language in RECORDED:
        for row in rows_of(truth_folder, f"args.{language}"):
            side = SIDES[row["requestor"]]
            view = domains.view(row["domain"], language, side)
            read = view.canonical(called(row, side)).arguments
            is_exempt = row["case"] == "extra_arguments" and row["tool"] == "cancel_pending_order"
            if not is_exempt:
                assert read == row.get("expected", row["normalized"]), row["id"]
            if read != row["normalized"]:
                beside = "a cancellation's reason beside arguments that do not exist"
                more[beside if is_exempt else row["defect"]] += 1
    assert more == OURS_READ_MORE


@pytest.mark.parametrize("language", RECORDED)
def test_results_are_shown_as_the_released_system_shows_them(
    truth_folder: Path, domains: Domains, language: str
) -> None:
    compared: Counter[str] = Counter()
    for row in rows_of(truth_folder, f"results.{language}"):
        if row["case"] == "label_inverse":
            continue
        shown = shown_result(row, language, SEATAU_VIEW_RULES, domains)
        assert shown == content_of(wanted(row)), row["id"]
        if "content_sha256_16" in row:
            digest = hashlib.sha256(shown.encode()).hexdigest()[:16]
            assert digest == row["content_sha256_16"], row["id"]
            compared["whole"] += 1
        compared["all"] += 1
    assert compared["all"] >= at_least(1301)
    assert compared["whole"] >= at_least(1001)


def test_our_results_differ_from_those_of_the_released_system_for_a_reason_each(
    truth_folder: Path, domains: Domains
) -> None:
    reasons: Counter[str] = Counter()
    for language in RECORDED:
        for row in rows_of(truth_folder, f"results.{language}"):
            if "tool" in row:
                shown = shown_result(row, language, DEFAULT_VIEW_RULES, domains)
                reasons.update(why_otherwise(row, shown))
    assert reasons == OURS_SHOW_OTHERWISE


@pytest.mark.parametrize("language", RECORDED)
def test_names_of_records_are_those_of_the_translated_database(
    truth_folder: Path,
    domains: Domains,
    language: str,
) -> None:
    task = domains.suites["retail"].tasks[0]
    view = domains.view("retail", language, "agent", SEATAU_VIEW_RULES)
    compared: Counter[str] = Counter()
    for row in rows_of(truth_folder, f"results.{language}"):
        if row["domain"] != "retail" or row["case"] != "sample" or row["error"]:
            continue
        environment = domains.suites["retail"].factory(SEATAU_RULES)(task)
        arguments = row.get("canonical_arguments") or row["arguments"]
        call = ToolCall("1", row["tool"], arguments)
        result = environment.call(call)
        assert view.present(result, call).content == content_of(wanted(row)), row["id"]
        compared[row["tool"]] += 1
    assert compared["list_all_product_types"] == 1
    assert compared["get_order_details"] > 5
    assert compared["get_product_details"] > 5


def called(row: Row, side: Role) -> ToolCall:
    return ToolCall("1", row["tool"], row["arguments"], side)


def wanted(row: Row) -> object:
    return row["raw"] if row["localized"] == "=raw" else row["localized"]


def content_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def shown_result(row: Row, language: str, rules: ViewRules, domains: Domains) -> str:
    side = SIDES[row.get("requestor", "assistant")]
    view = domains.view(row["domain"], language, side, rules)
    call = ToolCall("1", row.get("tool", ""), row.get("arguments", {}), side)
    content = content_of(row["raw"])
    result = ToolResult("1", call.name, content, side, row.get("error", False))
    return view.present(result, call).content


def why_otherwise(row: Row, shown: str) -> Iterator[str]:
    """Yield a reason for each text in which a result differs from the recorded one."""
    if row["error"]:
        assert not shown.startswith("Error: ")
        yield "a refusal is explained, not coded"
    elif row["raw"] == "Transfer successful" and row["domain"] != "telecom":
        assert shown != row["raw"]
        yield "a message that no artifact translates"
    elif isinstance(wanted(row), str):
        assert shown == wanted(row)
    else:
        triples = zip(texts(row["raw"]), texts(json.loads(shown)), texts(wanted(row)), strict=True)
        for raw, ours, theirs in triples:
            if ours != theirs and ours == raw == "phone":
                yield "`phone` is a permission here, not a device"
            elif ours != theirs:
                assert raw in {"poor", "Suspended"}
                yield "a value that another set labels otherwise"


def texts(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)
    else:
        yield value


# The phone's records


def test_the_phone_answers_with_the_recorded_records(truth_folder: Path, domains: Domains) -> None:
    telecom = domains.suites["telecom"]
    tasks = {task.id: task for task in telecom.tasks}
    rows = [row for row in rows_of(truth_folder, "fork_user_tools.en") if row["kind"] == "call"]
    compared: Counter[str] = Counter()
    for task_id in dict.fromkeys(row["task_id"] for row in rows):
        mine = [row for row in rows if row["task_id"] == task_id]
        environment = telecom.factory(SEATAU_RULES)(tasks[task_id])
        actions = [] if (criteria := tasks[task_id].criteria) is None else criteria.actions or ()
        played = [
            environment.call(ToolCall("1", action.name, action.arguments, action.by))
            for action in actions
        ]
        for row in mine:
            if row["source"] == "gold":
                result = played[row["step"]]
            elif row["source"] == "read_after_gold":
                result = environment.call(called(row, "user"))
            else:
                fresh = telecom.factory(SEATAU_RULES)(tasks[task_id])
                result = fresh.call(called(row, SIDES[row["requestor"]]))
            assert result.error == row["error"], row["id"]
            if not is_accident(row):
                assert result.content == content_of(row["content"]), row["id"]
                compared[row["source"]] += 1
    assert compared == {
        "gold": 72,
        "read_at_start": 73,
        "write_at_start": 258,
        "read_after_gold": 8,
        "error": 2,
    }


def is_accident(row: Row) -> bool:
    """Return whether the reference's libraries or class names make the text of a refusal."""
    return row["error"] and ("validation error" in row["content"] or "()" in row["content"])


# Values there and back


def places(surface: DomainSurface) -> Iterator[tuple[Role, str, tuple[str, ...], ValueSet]]:
    for side, tools in surface.arguments.items():
        for tool, tree in tools.items():
            for path, value_set in tree.places():
                yield side, tool, path, value_set


def at(path: tuple[str, ...], value: object) -> Any:  # noqa: ANN401 - any JSON
    for step in reversed(path):
        value = [value] if step == EVERY else {step: value}
    return value


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_label_and_every_spelling_of_it_is_read_as_its_value(
    domains: Domains, domain: str, language: str
) -> None:
    read: set[str] = set()
    for side, tool, path, value_set in places(domains.surface(domain, language)):
        view = domains.view(domain, language, side)
        for value, label in value_set.labels.items():
            for text in {*spellings(value), *spellings(label)}:
                call = view.canonical(ToolCall("1", tool, at(path, text), side))
                assert call.arguments == at(path, value), (tool, text)
                read.add(value)
    assert len(read) >= {"airline": 7, "retail": 2, "telecom": 6}[domain]


def spellings(text: str) -> tuple[str, ...]:
    spaced = text.replace("_", " ")
    written = (text, f" {text} ", f"'{text}'", text.upper(), text.title())
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC")]
    spacings = (spaced, spaced.replace(" ", "-"), spaced.replace(" ", "\N{NO-BREAK SPACE}"))
    return (*written, *forms, *spacings)


@pytest.mark.parametrize("language", LANGUAGES)
@given(value=st.text(max_size=40))
@settings(max_examples=settings().max_examples // 5)
def test_any_text_of_an_open_field_comes_back_from_its_label(
    domains: Domains, language: str, value: str
) -> None:
    read = 0
    for domain in ("retail", "telecom"):
        for side, tool, path, value_set in places(domains.surface(domain, language)):
            if value_set.is_open:
                view = domains.view(domain, language, side)
                call = view.canonical(ToolCall("1", tool, at(path, value_set.label(value)), side))
                assert call.arguments == at(path, value)
                read += 1
    assert read == 2


@pytest.mark.parametrize(
    ("language", "escaped", "ours"),
    [
        ("vi", 2414, 1604),
        ("th", 4606, 1521),
        ("id", 1532, 1532),
        ("tl", 1488, 1488),
        ("zh", 1948, 1078),
    ],
)
def test_a_list_of_products_is_longer_where_the_released_system_escapes_it(
    domains: Domains, language: str, escaped: int, ours: int
) -> None:
    retail = domains.suites["retail"]
    call = ToolCall("1", "list_all_product_types", {})
    result = retail.factory(DEFAULT_RULES)(retail.tasks[0]).call(call)
    lengths = [
        len(domains.view("retail", language, "agent", rules).present(result, call).content)
        for rules in (SEATAU_VIEW_RULES, DEFAULT_VIEW_RULES)
    ]
    assert lengths == [escaped, ours]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_label_inside_an_object_is_read_and_by_the_released_system_is_not(
    domains: Domains, language: str
) -> None:
    labels = domains.surface("telecom", language).value_sets["APNNames"].labels
    call = ToolCall(
        "1", "set_apn_settings", {"apn_settings": {"apn_name": labels["broken"]}}, "user"
    )
    ours = domains.view("telecom", language, "user").canonical(call)
    assert ours.arguments == {"apn_settings": {"apn_name": "broken"}}
    assert labels["broken"] != "broken"
    assert domains.view("telecom", language, "user", SEATAU_VIEW_RULES).canonical(call) is call
    assert (labels["internet"] == "internet") == (language in {"vi", "id", "tl"})


# One world in two languages


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
@given(data=st.data())
@settings(max_examples=settings().max_examples // 20)
def test_random_calls_change_a_localized_world_as_they_change_the_english_one(
    domains: Domains,
    domain: str,
    language: str,
    data: st.DataObject,
) -> None:
    suite, surface = domains.suites[domain], domains.surface(domain, language)
    task = data.draw(st.sampled_from(suite.tasks))
    calls = data.draw(st.lists(st.sampled_from(domains.calls(domain)), min_size=1, max_size=15))
    make = suite.factory(rules_with_record_answers(DEFAULT_RULES))
    english, localized = make(task), make(task)
    for call in calls:
        view = domains.view(domain, language, call.by)
        tree = surface.arguments[call.by][call.name]
        labelled = to_labels(call.arguments, tree)
        assert isinstance(labelled, dict)
        written = msgspec.structs.replace(call, arguments=labelled)
        result = localized.call(view.canonical(written))
        assert result == english.call(call)
        assert view.present(result, written).error == result.error
    assert states(localized) == states(english)


def states(environment: DomainEnvironment) -> object:
    return dict(environment.delta()), environment.changes()


def test_records_and_sentences_of_the_phone_leave_the_same_states_and_assertions(
    domains: Domains,
) -> None:
    telecom = domains.suites["telecom"]
    answered = 0
    for task in telecom.tasks[:120]:
        reported, recorded = (
            telecom.factory(rules)(task)
            for rules in (DEFAULT_RULES, rules_with_record_answers(DEFAULT_RULES))
        )
        criteria = task.criteria
        assert criteria is not None
        for action in criteria.actions or ():
            call = ToolCall("1", action.name, action.arguments, action.by)
            sentence, record = reported.call(call), recorded.call(call)
            assert sentence.error == record.error
            answered += action.by == "user" and record.content[:1] == "{" != sentence.content[:1]
        assert states(reported) == states(recorded)
        for assertion in criteria.env_assertions or ():
            assert reported.run_function(assertion.call) == recorded.run_function(assertion.call)
    assert answered >= at_least(101)


def test_languages_at_once_in_one_process_show_what_each_shows_alone(domains: Domains) -> None:
    english = {
        (domain, side): bytes(tools.encoded)
        for domain, suite in domains.suites.items()
        for side, tools in suite.toolsets.items()
    }
    views = {language: views_in(language, domains) for language in LANGUAGES}
    alone = {
        language: everything_in(views_in(language, domains), domains) for language in LANGUAGES
    }
    with ThreadPoolExecutor(8) as threads:
        jobs = [
            (language, threads.submit(everything_in, views[language], domains))
            for language in LANGUAGES * 4
        ]
        for language, job in jobs:
            assert job.result() == alone[language]
    assert len({tuple(map(str, each)) for each in alone.values()}) == len(LANGUAGES)
    for (domain, side), encoded in english.items():
        assert bytes(domains.suites[domain].toolsets[side].encoded) == encoded


Views = Mapping[tuple[str, Role], ToolView]


def views_in(language: str, domains: Domains) -> Views:
    """Return new views of both sides of all domains in a language."""
    return {
        (domain, side): localized_view(
            {tool.name: domains.surface(domain, language) for tool in tools}, side
        )
        for domain, suite in domains.suites.items()
        for side, tools in suite.toolsets.items()
    }


def everything_in(views: Views, domains: Domains) -> list[object]:
    """Return the tools of all domains in a language, and what plans' calls are answered with."""
    seen: list[object] = []
    for domain, suite in domains.suites.items():
        environment = suite.factory(rules_with_record_answers(DEFAULT_RULES))(suite.tasks[0])
        for side, tools in suite.toolsets.items():
            seen.append(bytes(views[domain, side].show(tools).encoded))
        for call in domains.calls(domain)[:40]:
            view = views[domain, call.by]
            seen.append(view.present(environment.call(view.canonical(call)), call).content)
    return seen


def test_a_label_of_another_language_is_seen_and_refused_unless_it_is_to_be_taken(
    domains: Domains,
) -> None:
    vi, th = domains.surface("airline", "vi"), domains.surface("airline", "th")
    label = th.value_sets["CabinClass"].labels["business"]
    call = ToolCall("1", "update_reservation_flights", {"cabin": label})
    assignment = {tool.name: vi for tool in domains.suites["airline"].toolsets["agent"]}
    assignment["book_reservation"] = th
    lenient = msgspec.structs.replace(DEFAULT_VIEW_RULES, other_languages_are_taken=True)
    assert localized_view(assignment, "agent").canonical(call) is call
    taken = localized_view(assignment, "agent", lenient).canonical(call)
    assert taken.arguments == {"cabin": "business"}
