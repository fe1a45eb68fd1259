"""docs/reference/courier.md: its commands give its figures."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

Cli = Callable[..., CompletedProcess[str]]
Row = tuple[str, ...]
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "courier.md"
LANGUAGES = ("vi", "th", "id", "tl", "zh", "en")
AGENTS = ("gold", "literal", "careful", "lexical")
FAILURE_SOURCES = ("mishearing", "arguments", "agent", "unknown")


def commands() -> list[list[str]]:
    lines = re.findall(r"^dragoman (.+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [shlex.split(line) for line in lines]


def written(heading: str) -> list[Row]:
    """Return the rows of the table under a heading."""
    _, _, below = PAGE.read_text("utf-8").partition(f"## {heading}")
    table = re.findall(r"^\|(.+)\|$", below.partition("\n## ")[0], re.MULTILINE)
    return [tuple(cell.strip() for cell in row.split("|")) for row in table[2:]]


class Group(msgspec.Struct):
    """pass^1 of an agent in one condition, as `show --by` has it."""

    values: dict[str, str]
    tasks: int
    left_out: int
    value: float
    interval: tuple[float, float]


class Shown(msgspec.Struct):
    """The part of the JSON of `show --by` that the tests read."""

    groups: list[Group]


Groups = dict[tuple[str, str, str], Group]


def by_condition(printed: str) -> Groups:
    found = msgspec.json.decode(printed, type=Shown).groups
    return {
        (each.values["language"], each.values["voice"], each.values["agent"]): each
        for each in found
    }


def shown(groups: Groups, voice: str) -> Iterator[Row]:
    for language in LANGUAGES:
        cells = (groups[language, voice, agent] for agent in AGENTS)
        yield (language, *(figure(cell) for cell in cells))


def figure(cell: Group) -> str:
    assert (cell.tasks, cell.left_out) == (33, 0)
    low, high = cell.interval
    return f"{cell.value:.3f} ({low:.3f} to {high:.3f})"


def attributed(lost: list[dict[str, str]]) -> Iterator[Row]:
    counts = Counter((row["condition"], row["agent"], row["culprit"]) for row in lost)
    assert {failure_source for _, _, failure_source in counts} <= set(FAILURE_SOURCES)
    for condition, agent in dict.fromkeys((row["condition"], row["agent"]) for row in lost):
        found = [counts[condition, agent, failure_source] for failure_source in FAILURE_SOURCES]
        yield (condition, agent, *map(str, (sum(found), *found)))


@pytest.mark.slow
@pytest.mark.nightly
def test_the_commands_of_the_page_give_its_figures(in_process: Cli, tmp_path: Path) -> None:
    run, show, failure_source = commands()
    assert in_process(*run, cwd=tmp_path).returncode == 0
    groups = by_condition(in_process(*show, "--json", cwd=tmp_path).stdout)
    lost = json.loads(in_process(*failure_source, "--json", cwd=tmp_path).stdout)["lost"]

    for language in LANGUAGES:
        text = {agent: groups[language, "text", agent].value for agent in AGENTS}
        heard = {agent: groups[language, "simulated:10", agent].value for agent in AGENTS}
        assert (text["gold"], text["literal"], text["careful"], heard["gold"]) == (1, 1, 1, 1)
        assert heard["literal"] <= heard["careful"] < 1
    failure_sources = {row["culprit"] for row in lost if row["agent"] != "lexical"}
    # If words but no value were lost, the word that mattered is unknown.
    assert failure_sources == {"mishearing", "unknown"}

    assert list(shown(groups, "text")) == written("pass^1 in text")
    assert list(shown(groups, "simulated:10")) == written("pass^1 with one word")
    assert list(attributed(lost)) == written("Who lost what")
