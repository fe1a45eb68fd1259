"""Language correctness and error tags against every recorded verdict of SEATauBench.

Prints how many rows were compared per kind; comparing none is a failure. Verdicts that our own
definition changes on purpose are listed by class.
"""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.seatau.language_drift import PositionShare, drift

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.language.correctness import (
    DEFAULT_LANGUAGE_RULES,
    SEATAU_LANGUAGE_RULES,
    LanguageRules,
    LanguageUse,
    TurnLanguage,
)
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.scores import Scored, Unscored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import Role, ToolCall, ToolResult
from dragoman.scoring.language_detection import load_detector
from dragoman.scoring.measures.error_tags import (
    LENIENT_TAG_RULES,
    SEATAU_TAG_RULES,
    DiscardedWord,
    ErrorTag,
    normalize_tag,
    normalize_tags,
)
from dragoman.scoring.measures.language_use import (
    WordedTurn,
    exclusion_reason,
    language_use,
    turn_language,
)

LANGUAGES = ("en", "vi", "th", "id")
SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}
TASK = Task("1", "suite", "digest", Scenario("words"))

OURS_DIFFER = {
    "incorrect -> nothing but ids, quoted values, code, numbers and symbols": 141,
    "correct -> nothing but ids, quoted values, code, numbers and symbols": 31,
    "incorrect -> shorter than 5 characters without ids, quoted values and numbers": 18,
    "correct -> shorter than 5 characters without ids, quoted values and numbers": 4,
    "incorrect -> no language is likelier than 0.2": 11,
    "correct -> no language is likelier than 0.2": 6,
    "incorrect -> correct: native_upper": 19,
    "incorrect -> correct: native_with_ids": 4,
    "incorrect -> correct: native_with_json": 3,
    "None -> correct: native_with_marker": 8,
}
"""On purpose: what says nothing of a language has no verdict; what hid one is taken out before.

The last class is speech of more than 40 characters between two ###, which does not stop a
conversation.
"""

UNKNOWN_TAGS: Mapping[Role, int] = {"agent": 75, "user": 125}
"""Words that the reference takes for `other` with a warning."""

Row = dict[str, Any]


def rows_of(folder: Path, name: str) -> Iterator[Row]:
    path = folder / "seataubench" / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def judged(row: Row, rules: LanguageRules) -> TurnLanguage:
    turn = WordedTurn(0, SIDES[row["role"]], row["text"])
    return turn_language(turn, row["expected"], rules, load_detector())


def verdict_name(turn: TurnLanguage) -> str | None:
    match turn.verdict:
        case Scored(value=value):
            return {1.0: "correct", 0.0: "incorrect"}[value]
        case Unscored():
            return None


def events_of(messages: list[Row]) -> Iterator[Event]:
    """Turn messages into events of the same positions; one without content is a call."""
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            yield ToolResult(str(at), "look", message["content"])
        elif message["content"] is None:
            yield Message(SIDES[message["role"]], ToolCallReply((ToolCall(str(at), "look", {}),)))
        else:
            yield Message(SIDES[message["role"]], text_reply(message["content"]))


def metric_of(use: LanguageUse, side: str) -> Row:
    """Write a result in the reference's shape."""
    counted = len(use.scored)
    metric: Row = {
        "expected_language": use.expected,
        f"{side}_turn_count": counted,
        "detected_turn_count": sum(turn.detected is not None for turn in use.scored),
        "correct_turn_count": counted - len(use.wrong),
        "score": use.verdict.value if isinstance(use.verdict, Scored) else None,
        "incorrect_turn_indices": [turn.position for turn in use.wrong],
    }
    return metric


TURNS = {"en": 465, "vi": 471, "th": 469, "id": 480}
"""Number of recorded turns to compare."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_turn_has_the_label_and_the_verdict_of_the_reference(
    truth_folder: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compared: Counter[str] = Counter()
    for row in rows_of(truth_folder, f"language.{language}"):
        if row["kind"] == "conversation":
            continue
        found = load_detector().detect(row["text"])
        assert (found.label if found else None) == row["label"], row["id"]
        assert (round(found.probability, 4) if found else None) == row["probability"], row["id"]
        turn = WordedTurn(0, SIDES[row["role"]], row["text"])
        assert (exclusion_reason(turn, SEATAU_LANGUAGE_RULES) == "") is row["eligible"], row["id"]
        assert verdict_name(judged(row, SEATAU_LANGUAGE_RULES)) == row["verdict"], row["id"]
        compared[row["kind"]] += 1
    with capsys.disabled():
        print(f"\nlanguage {language}: {compared.total()} turns of {len(compared)} kinds")
    assert compared.total() >= TURNS[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_conversation_has_the_result_of_the_reference(
    truth_folder: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = 0
    for row in rows_of(truth_folder, f"language.{language}"):
        if row["kind"] != "conversation":
            continue
        episode = Episode(tuple(events_of(row["messages"])), Termination("user_stop"), 0, 0)
        expected = {SIDES[row["role"]]: row["expected"]}
        (use,) = language_use(TASK, episode, expected, SEATAU_LANGUAGE_RULES, load_detector())
        theirs = {name: value for name, value in row["result"].items() if name != "note"}
        assert metric_of(use, row["role"]) == theirs, row["id"]
        compared += 1
    with capsys.disabled():
        print(f"\nlanguage {language}: {compared} conversations")
    assert compared == 40


def test_our_own_definition_differs_in_these_classes_only(
    truth_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    differing: Counter[str] = Counter()
    for language in LANGUAGES:
        for row in rows_of(truth_folder, f"language.{language}"):
            if row["kind"] != "conversation":
                turn = judged(row, DEFAULT_LANGUAGE_RULES)
                if verdict_name(turn) != row["verdict"]:
                    differing[difference(row, turn)] += 1
    with capsys.disabled():
        print("", *(f"{count:4} {name}" for name, count in differing.most_common()), sep="\n")
    assert differing == OURS_DIFFER


def test_fewer_turns_in_their_language_are_called_wrong_and_no_other_is_excused(
    truth_folder: Path,
) -> None:
    """Texts made of the expected language, against whole sentences of another one."""
    found: Counter[tuple[str, str, str | None]] = Counter()
    for language in LANGUAGES:
        for row in rows_of(truth_folder, f"language.{language}"):
            kind = row["kind"]
            own = kind.startswith("native_") and kind != "native_truncated"
            foreign = kind in {"english_sentence", "english_field"} and language != "en"
            if own or foreign:
                for rules in (SEATAU_LANGUAGE_RULES, DEFAULT_LANGUAGE_RULES):
                    made = "own" if own else "foreign"
                    found[rules.name, made, verdict_name(judged(row, rules))] += 1
    assert found == {
        ("seatau-1d6f92a", "own", "correct"): 984,
        ("seatau-1d6f92a", "own", "incorrect"): 74,
        ("seatau-1d6f92a", "own", None): 14,
        ("dragoman-language-1", "own", "correct"): 1005,
        ("dragoman-language-1", "own", "incorrect"): 11,
        ("dragoman-language-1", "own", None): 56,
        ("seatau-1d6f92a", "foreign", "incorrect"): 160,
        ("seatau-1d6f92a", "foreign", None): 1,
        ("dragoman-language-1", "foreign", "incorrect"): 160,
        ("dragoman-language-1", "foreign", None): 1,
    }


def difference(row: Row, turn: TurnLanguage) -> str:
    """Name the class of a difference: the reason of no verdict, or what lets ours be told."""
    if isinstance(turn.verdict, Unscored):
        return f"{row['verdict']} -> {turn.verdict.reason}"
    return f"{row['verdict']} -> {verdict_name(turn)}: {row['kind']}"


@pytest.mark.parametrize("side", ["agent", "user"])
def test_every_tag_is_read_as_the_reference_reads_it(truth_folder: Path, side: Role) -> None:
    compared = 0
    for row in rows_of(truth_folder, "tag_normaliser"):
        if row["source"] != side or row["kind"] == "list":
            continue
        tag = normalize_tag(row["raw"], side, SEATAU_TAG_RULES)
        assert isinstance(tag, DiscardedWord) is row["discarded"], row
        assert (tag.name if isinstance(tag, ErrorTag) else None) == row["result"], row
        assert (isinstance(tag, ErrorTag) and bool(tag.warning)) is row["warned"], row
        compared += 1
    assert compared == 408


@pytest.mark.parametrize("side", ["agent", "user"])
def test_every_list_of_tags_is_read_as_the_reference_reads_it(
    truth_folder: Path, side: Role
) -> None:
    lists = [
        row
        for row in rows_of(truth_folder, "tag_normaliser")
        if row["source"] == side and row["kind"] == "list"
    ]
    read = [list(normalize_tags(row["raw"], side, SEATAU_TAG_RULES).names) for row in lists]
    assert read == [row["result"] for row in lists]
    assert len(lists) == 8


@pytest.mark.parametrize("side", ["agent", "user"])
def test_where_the_reference_falls_back_to_other_with_a_warning_ours_is_unscored(
    truth_folder: Path, side: Role
) -> None:
    unscored = 0
    for row in rows_of(truth_folder, "tag_normaliser"):
        if row["source"] != side or row["kind"] == "list":
            continue
        ours = normalize_tag(row["raw"], side, LENIENT_TAG_RULES)
        if row["warned"]:
            assert isinstance(ours, Unscored), row
            unscored += 1
        else:
            assert ours == normalize_tag(row["raw"], side, SEATAU_TAG_RULES), row
    assert unscored == UNKNOWN_TAGS[side]


@pytest.mark.parametrize(
    ("scenario", "r", "pooled"), [("l2_interaction", 0.651, 0.9465), ("l2_domain", 0.727, 0.9438)]
)
def test_the_published_drift_of_agents_follows_from_the_published_counts(
    data_folder: Path, scenario: str, r: float, pooled: float
) -> None:
    path = data_folder / "seataubench" / "analyses" / "contextual_turn_position.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        shares = [
            PositionShare(
                int(row["turn_idx"]), int(row["turn_count"]), int(row["non_target_turn_count"])
            )
            for row in csv.DictReader(lines)
            if (row["scenario"], row["role"]) == (scenario, "agent")
        ]
    assert drift(shares, last=24).r == pytest.approx(r, abs=5e-4)
    after_greeting = [entry for entry in shares if entry.position > 0]
    wrong = sum(entry.off_target for entry in after_greeting)
    turns = sum(entry.turns for entry in after_greeting)
    assert 1 - wrong / turns == pytest.approx(pooled, abs=1e-4)
