"""The bundled world's tasks from the command line: agents that know the plan, words, and nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]


@pytest.mark.slow
def test_gold_lexical_and_silent_stand_in_their_order(in_process: Cli, tmp_path: Path) -> None:
    done = in_process(
        "run", "itc:world", "--agent", "gold,lexical,silent", "--out", "run", "--json", cwd=tmp_path
    )
    found = json.loads(done.stdout)
    rates = {cell["agent"]: cell["pass_hat"]["1"] for cell in found["cells"]}
    assert rates["gold"] == 1.0
    assert 0.0 < rates["lexical"] < 0.5
    assert rates["silent"] == 0.0
    shares = [
        row["value"]
        for row in found["measures"]
        if row["agent"] == "lexical"
        and row["figure"] in {"hallucinated", "missing", "extra", "wrong"}
    ]
    assert sum(shares) == pytest.approx(2.0)


def test_a_part_has_one_language_and_others_are_named(in_process: Cli, tmp_path: Path) -> None:
    done = in_process("run", "itc:world/xx", "--agent", "gold", cwd=tmp_path)
    assert done.returncode == 2
    assert "it has no queries in 'xx', but in" in done.stderr
    unknown = in_process("run", "itc:nowhere", "--agent", "gold", cwd=tmp_path)
    assert unknown.returncode == 2
    assert "unknown suite 'itc:nowhere'" in unknown.stderr
