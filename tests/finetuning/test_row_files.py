"""Files of rows are read in both forms, and lines without training value are reported."""

from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import DataError
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.preparation import read_rows

USER: dict[str, object] = {"role": "user", "content": "Hi"}
ANSWER: dict[str, object] = {"role": "assistant", "content": "Hello"}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(line) for line in lines))
    return path


def test_a_line_without_an_id_is_known_by_its_place_and_ours_by_its_own(tmp_path: Path) -> None:
    ours = TrainingExample(
        "r7", (USER, ANSWER), origin=ExampleOrigin("itc:mine", "t1", language="ja")
    )

    plain, own = read_rows([written(tmp_path, {"messages": [USER, ANSWER]}, ours)])

    assert (plain.id, plain.origin.suite, plain.messages) == (
        "rows.jsonl:1",
        "rows",
        (USER, ANSWER),
    )
    assert own == ours


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"messages": [USER]}, "line 1: no assistant's message"),
        ({"messages": [USER, {"role": "assistant", "content": ""}]}, "no assistant's message"),
        ({"messages": [{"role": "robot", "content": "x"}, ANSWER]}, "no role of a chat: 'robot'"),
        ({"prompt": "x"}, "line 1: no row (Object missing required field `messages`)"),
    ],
)
def test_a_line_that_teaches_nothing_is_told(tmp_path: Path, line: object, said: str) -> None:
    with pytest.raises(DataError) as reported:
        read_rows([written(tmp_path, line)])

    assert said in str(reported.value)


def test_no_rows_and_two_of_one_id_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row: `dragoman rows`"):
        read_rows([written(tmp_path)])
    twice = TrainingExample("r", (USER, ANSWER))
    with pytest.raises(DataError, match="line 2: a second row 'r'"):
        read_rows([written(tmp_path, twice, twice)])
    with pytest.raises(DataError, match="cannot be read"):
        read_rows([tmp_path / "none.jsonl"])
