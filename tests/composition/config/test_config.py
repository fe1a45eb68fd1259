import math
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.composition.grid_files import load_config
from dragoman.config.run_config import RunConfig, validated_config
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Limits

CONFIG = RunConfig("sample:shop", ("gold",))
FILE = """
suite = "sample:shop"
agents = ["gold", "silent"]
trials = 3
tasks = ["two-swaps"]
timeout = 30
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_grid_file_is_read(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, FILE)) == RunConfig(
        "sample:shop", ("gold", "silent"), trials=3, tasks=("two-swaps",), timeout=30.0
    )


def test_limits_are_those_of_the_configuration() -> None:
    config = msgspec.structs.replace(CONFIG, max_steps=5, max_errors=2, timeout=1.5)
    assert config.limits == Limits(5, 2, 1.5)
    assert CONFIG.limits == Limits()


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("trails = 3", "unknown key 'trails': did you mean 'trials'?"),
        ("max_step = 3", "unknown key 'max_step': did you mean 'max_steps'?"),
        ("zzzzzz = 3", "unknown key 'zzzzzz'"),
        ('trials = "3"', "Expected `int`, got `str` - at `$.trials`"),
        ("trials = 1.5", "Expected `int`, got `float` - at `$.trials`"),
        ("trials = true", "Expected `int`, got `bool` - at `$.trials`"),
        ("tasks = [1]", "Expected `str`, got `int` - at `$.tasks[0]`"),
        ("trials = 0", "trials must be above 0, not 0"),
        ("concurrency = -1", "concurrency must be above 0, not -1"),
        ("max_steps = 0", "max-steps must be above 0, not 0"),
        ("max_errors = -3", "max-errors must be above 0, not -3"),
        ("limit = 0", "limit must be above 0, not 0"),
        ("timeout = -0.5", "timeout must be above 0, not -0.5"),
        ("trials =", "not a TOML file"),
        ("[trials", "not a TOML file"),
    ],
)
def test_what_is_wrong_in_a_grid_file_is_named(tmp_path: Path, line: str, named: str) -> None:
    path = written(tmp_path, f'suite = "sample:shop"\nagents = ["gold"]\n{line}\n')
    with pytest.raises(UsageError, match=re.escape(named)):
        load_config(path)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "missing required field `suite`"),
        ('suite = "sample:shop"', "missing required field `agents`"),
        ('suite = "sample:shop"\nagents = "gold"', 'agents must be a list, such as ["gold",'),
        ('suite = "sample:shop"\nagents = []', "no agent: name one with --agent"),
        ('suite = "sample:shop"\nagents = ["a", "a"]', "an agent is named twice"),
    ],
)
def test_what_a_grid_needs_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UsageError, match=re.escape(named)):
        load_config(written(tmp_path, text))


def test_a_grid_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(UsageError, match=re.escape(str(path))):
            load_config(path)


def test_a_grid_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not a TOML file"):
        load_config(path)


@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError):
        load_config(path)


def test_a_sound_configuration_is_returned_as_it_is() -> None:
    assert validated_config(CONFIG) is CONFIG


@pytest.mark.parametrize("field", ["trials", "concurrency", "max_steps", "max_errors", "limit"])
def test_counts_are_above_nothing(field: str) -> None:
    with pytest.raises(UsageError, match=field.replace("_", "-")):
        validated_config(msgspec.structs.replace(CONFIG, **{field: 0}))


def test_a_configuration_survives_a_trip_through_json() -> None:
    config = RunConfig("s", ("a", "b"), "u", "rule", trials=2, limit=3, timeout=1.5)
    assert msgspec.json.decode(msgspec.json.encode(config), type=RunConfig) == config


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(UsageError):
        validated_config(msgspec.structs.replace(CONFIG, timeout=math.nan))
