"""Freeze the keys of rules, conditions, measures and steps of curation, as scores and ledgers name them."""

from collections.abc import Callable, Mapping

import msgspec
import pytest

from dragoman.benchmarks.bfcl.rules import RULES as BFCL_RULES
from dragoman.composition.setup import build_setup
from dragoman.conditions.language.tool_view_rules import VIEW_RULES
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import condition_from, condition_of, condition_text
from dragoman.core.content_keys import content_key, derive_seed, named_key
from dragoman.core.language.correctness import LANGUAGE_RULES
from dragoman.core.protocols import Limits
from dragoman.core.rules import RULES
from dragoman.curation.api_datasets.pipeline import ORDER, CurationStep, StepFinding, step_digest
from dragoman.registry.measures import (
    MeasureContext,
    earlier_measure_names,
    measure_names,
    resolve_measures,
    rubric_names,
)
from dragoman.registry.model_clients import ModelClients
from dragoman.runs.measure_runner import reward_scoring
from dragoman.scoring.measures.error_tags import TAG_RULES
from dragoman.store.dataset import StoredItem

SameJson = Callable[[str, object], None]

CONDITIONS: tuple[Mapping[str, str], ...] = (
    {},
    {"language": "th"},
    {"language": "th", "scenario": "domain"},
    {"language": "vi", "scenario": "interaction", "voice": "studio", "persona": "hard"},
    {"language": "th+vi", "scenario": "tools", "partition": "7"},
    {"language": "id", "scenario": "conversation+policy"},
    {"voice": "telephone", "recognizer": "generic"},
    {"voice": "telephone:loss", "recognizer": "itself"},
    {"voice": "simulated:10", "clarify": "rule"},
    {"voice": "recorded"},
    {"persona": "hard", "exposure": "2+rules", "cards": "hard"},
)


def test_content_keys_and_seeds_are_as_before(same_json: SameJson) -> None:
    """Compare hashes of plain values with the golden ones."""
    values: tuple[object, ...] = (
        "text",
        1,
        1.5,
        None,
        True,
        ["ไทย"],
        {"b": 1, "a": {"x"}},
        b"\x00",
    )
    key = content_key(*values)
    found = [key, *map(content_key, values), named_key(key, "mine"), derive_seed(key, "purpose")]
    same_json("hashes.json", found)


def test_rules_and_limits_keep_their_keys(same_json: SameJson) -> None:
    """Compare the keys of every rule set and of limits with the golden ones."""
    kinds: dict[str, Mapping[str, msgspec.Struct]] = {
        "rules": RULES,
        "bfcl": BFCL_RULES,
        "views": VIEW_RULES,
        "language": LANGUAGE_RULES,
        "tags": TAG_RULES,
    }
    found: dict[str, object] = {
        kind: {name: content_key(rules) for name, rules in sets.items()}
        for kind, sets in kinds.items()
    }
    limits = msgspec.convert({"steps": 9, "errors": 2, "seconds": 60.0}, Limits)
    same_json("rules.json", {**found, "limits": [content_key(Limits()), content_key(limits)]})


def test_conditions_keep_their_texts_and_keys(same_json: SameJson) -> None:
    """Compare texts, labels and keys of conditions with the golden ones, and read the texts back."""
    conditions = [condition_of(values) for values in CONDITIONS]
    assert [condition_from(condition_text(each)) for each in conditions] == conditions
    assert condition_from(conditions[3].label) == conditions[3]
    found = [[condition_text(each), each.label, content_key(each.identity)] for each in conditions]
    same_json("conditions.json", found)


@pytest.mark.slow
def test_measures_keep_their_names_versions_and_figures(
    same_json: SameJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare the names of stored counts and the parts of figures with the golden ones."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    setup = build_setup(msgspec.convert({"suite": "courier", "agents": ["gold"]}, RunConfig))
    artifact_costs = MeasureContext(
        reward_scoring(setup), ("openai/gpt-4.1-mini",), ModelClients(), repeat=2
    )
    names = [*measure_names(), *earlier_measure_names(), *rubric_names()]
    found = {
        name: [
            [each.name, each.version, each.judge, each.rules, *map(_json, each.figures)]
            for each in resolve_measures([name], artifact_costs)
        ]
        for name in names
    }
    same_json("measures.json", found)


def _json(record: object) -> str:
    return msgspec.json.encode(record).decode()


async def _look(item: StoredItem) -> StepFinding:
    raise NotImplementedError(item.name)


def test_steps_of_curation_keep_their_order_and_keys(same_json: SameJson) -> None:
    """Compare the key by which a step knows an item again with the golden one."""
    item = StoredItem("task", "one", "source", content_key("record"), b"{}")
    step = CurationStep("filter", "filter-1", "task", _look, {"least": 2, "kinds": ["a", "b"]})
    same_json("curation_steps.json", {"order": list(ORDER), "filter": step_digest(step, item)})
