"""Averages that a person states are read strictly, and each mistake is one line."""

from pathlib import Path

import pytest

from dragoman.composition.spending import read_averages
from dragoman.core.errors import UsageError
from dragoman.core.usage import Usage

AVERAGES = """
seconds = 45

[purposes.agent]
calls = 9
input_tokens = 31_000
cached_tokens = 20_000
output_tokens = 900

[purposes."user judge"]
calls = 1

[purposes.recognition]
model = "deepgram/nova-3"
calls = 6
audio_seconds = 38.5
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "averages.toml"
    path.write_text(text)
    return path


def test_averages_are_what_one_conversation_uses_by_purpose(tmp_path: Path) -> None:
    found = read_averages(written(tmp_path, AVERAGES))

    assert found.seconds == 45
    assert found.usage == (
        Usage("agent", "", 9, 31_000, 900, 20_000),
        Usage("user judge", "", 1),
        Usage("recognition", "deepgram/nova-3", 6, audio_seconds=38.5),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (AVERAGES.replace("purposes.agent", "purposes.agnet"), "did you mean 'agent'"),
        (AVERAGES.replace("purposes.agent", "purposes.x"), "choose of agent, user, "),
        (AVERAGES.replace("calls = 9", 'calls = 9\nmodel = "a/b"'), "leave model out"),
        (
            AVERAGES.replace("calls = 9", "calls = 0"),
            "agent: Expected `int` >= 1 - at `$.calls`: docs/how_to/costs.md shows",
        ),
        (AVERAGES.replace("calls = 9", "calls = 9.5"), "Expected `int`"),
        (AVERAGES.replace("31_000", "-1"), ">= 0"),
        (AVERAGES.replace("31_000", "19_999"), "cached_tokens are a part of input_tokens"),
        (AVERAGES.replace("= 45", "= nan"), "seconds"),
        (AVERAGES.replace("output_tokens", "outputs"), "outputs"),
        ("seconds = 1", "purposes"),
        ("seconds = ", "Invalid value"),
    ],
)
def test_a_mistake_is_told_with_the_file_and_what_to_write(
    tmp_path: Path, text: str, said: str
) -> None:
    path = written(tmp_path, text)

    with pytest.raises(UsageError) as refused:
        read_averages(path)
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"averages {path}: ")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory: name a TOML file"):
        read_averages(tmp_path / "none.toml")
