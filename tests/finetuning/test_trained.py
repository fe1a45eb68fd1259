"""Usage of a training is known after any kill; so is its cost if an hour has a price."""

from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.finetuning.result import UseFile, describe_use, require_price, with_price
from dragoman.store.training_results import TrainingResult, TrainingUse


def trained(used: TrainingUse | None) -> TrainingResult:
    return TrainingResult(("out/model",), 3, (), 8, 4, 2.0, 0.5, "this machine", "key", used)


def process(path: Path, *steps: tuple[int, float, int | None]) -> UseFile:
    use = UseFile(path)
    use.begin()
    for step in steps:
        use.add(*step)
    return use


def test_all_processes_count_with_the_steps_that_were_made_twice(tmp_path: Path) -> None:
    path = tmp_path / "used.jsonl"
    process(path, (1, 1.0, 100), (2, 2.0, 200))
    with path.open("ab") as file:
        file.write(b'{"process":1,"st')

    use = process(path, (2, 1.5, 90), (3, 2.5, 180))

    assert use.total() == TrainingUse(4.5, 380)


def test_tokens_that_one_process_did_not_tell_make_the_sum_unknown(tmp_path: Path) -> None:
    path = tmp_path / "used.jsonl"
    process(path, (1, 1.0, 100))

    assert process(path, (2, 1.0, None)).total() == TrainingUse(2.0, None)


def test_a_training_without_steps_used_nothing(tmp_path: Path) -> None:
    assert process(tmp_path / "used.jsonl").total() == TrainingUse(0, 0)


def test_a_price_is_for_an_hour_and_without_one_the_cost_is_unknown() -> None:
    found = trained(TrainingUse(1_800, 1_234_567))

    assert found.cost is with_price(found, None).cost is None
    assert with_price(found, 2.5).cost == 1.25
    assert with_price(with_price(found, 2.5), None).cost == 1.25
    assert describe_use(with_price(found, 2.5)) == (
        "1,234,567 tokens read in 0:30:00, cost 1.2500 USD at 2.5 USD an hour"
    )
    assert describe_use(found).startswith("1,234,567 tokens read in 0:30:00, cost unknown")


def test_what_an_older_training_used_is_unknown_at_any_price() -> None:
    older = with_price(trained(None), 2.5)

    assert older.cost is None
    assert describe_use(older) == "its usage is unknown"


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1.0])
def test_what_is_no_price_is_told_in_one_line(price: float) -> None:
    with pytest.raises(UsageError, match=r"such as 2\.50"):
        require_price(price)
