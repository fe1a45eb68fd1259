"""A local model is read strictly."""

import pytest

from dragoman.core.errors import UsageError
from dragoman.finetuning.local_models.spec import Sampling, read_local


def test_a_folder_an_adapter_and_settings_are_read() -> None:
    read = read_local("local/runs/base?adapter=trained%2Fadapter&temperature=0.5&max_tokens=64")

    assert (read.folder, read.adapter) == ("runs/base", "trained/adapter")
    assert read.name == "local/runs/base?adapter=trained/adapter"
    assert read.sampling == Sampling(temperature=0.5, max_tokens=64)
    assert read_local("local//models/base").folder == "/models/base"
    assert read_local("local/base").sampling.temperature == 0


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("local/", "names no model"),
        ("local/base?adapter=", "names no folder"),
        ("local/base?temprature=1", "did you mean 'temperature'"),
        ("local/base?base_url=http://x", "unknown parameter"),
        ("local/base?max_tokens=none", "max_tokens"),
        ("local/base?top_p=0", "top_p"),
        ("local/base?batch=0", "batch"),
        ("local/base?temperature=1&temperature=2", "given twice"),
    ],
)
def test_a_mistake_is_one_line(written: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        read_local(written)

    assert "\n" not in str(raised.value)
