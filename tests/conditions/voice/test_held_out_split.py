"""The texts of the acoustic model's adaptation and of its measurement are disjoint."""

from itertools import chain
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "bench" / "voice"
RUN = 5


@pytest.fixture(scope="module")
def adapted() -> list[str]:
    return (FOLDER / "adaptation_sentences.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module", params=["dev_lines.txt", "held_out_lines.txt"])
def held_out(request: pytest.FixtureRequest) -> list[str]:
    name: str = request.param
    rows = (FOLDER / name).read_text("utf-8").splitlines()
    return [row.partition(": ")[2] for row in rows if not row.startswith("#")]


def runs_in(sentence: str) -> set[tuple[str, ...]]:
    words = sentence.lower().split()
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def test_there_are_eighty_service_lines_at_least_and_no_line_twice(held_out: list[str]) -> None:
    assert len(held_out) >= 80
    assert len(set(held_out)) == len(held_out)


def test_no_five_words_in_a_row_of_a_held_out_line_were_read_while_adapting(
    adapted: list[str], held_out: list[str]
) -> None:
    read = set(chain.from_iterable(map(runs_in, adapted)))
    shared = [line for line in held_out if runs_in(line) & read]
    assert read
    assert shared == []


def test_many_held_out_words_stand_in_no_adaptation_sentence(
    adapted: list[str], held_out: list[str]
) -> None:
    read = {word for sentence in adapted for word in sentence.split()}
    said = {word.lower() for line in held_out for word in line.split()}
    assert len(said - read) > 150
