"""Failure attribution of conversations with recorded speech."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

import dragoman
from dragoman.core.audio import Audio
from dragoman.experiments.failure_attribution import attribute_failures
from dragoman.registry.suites import load_suite

TASK = "simple_python_0"
HEARD: Mapping[str, Callable[[str], str]] = {
    "openai/whisper-1": lambda text: text.replace("10", "tan"),
    "simulated:15": lambda text: text.replace("10", "tan or two"),
}


@pytest.fixture
def recorded(
    write_set: Callable[..., Path],
    pulled_bfcl: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A set of one question whose number was not heard."""
    pytest.importorskip("soundfile", reason="FLAC needs the extra voice")
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    silence = Audio(bytes(3_200), 16_000)
    suites = [load_suite("bfcl:simple_python")]
    return write_set(tmp_path / "set", suites, [TASK], HEARD, lambda _: silence)


def failure_sources(recorded: Path, run: Path) -> dict[str, str]:
    played = dragoman.run(f"set:{recorded}", agent="literal", voice="recorded", out=run)
    assert played.episodes["reward"].to_list() == [0.0, 0.0]
    return {
        failure_source.condition: failure_source.failure_source
        for failure_source in attribute_failures(run, lambda: None)
    }


def test_a_recognizer_and_errors_that_were_simulated_are_told_apart(
    recorded: Path, tmp_path: Path
) -> None:
    assert failure_sources(recorded, tmp_path / "run") == {
        "en/recorded+openai/whisper-1/none": "speech",
        "en/recorded+simulated:15/none": "mishearing",
    }


def test_of_another_line_nothing_is_known_where_its_recognizer_is_out_of_reach(
    recorded: Path, tmp_path: Path
) -> None:
    settings = recorded / "settings.json"
    content = msgspec.json.decode(settings.read_bytes()) | {"line": "telephone"}
    settings.write_bytes(msgspec.json.encode(content))

    assert failure_sources(recorded, tmp_path / "run") == {
        "en/recorded+openai/whisper-1/none": "unknown",
        "en/recorded+simulated:15/none": "mishearing",
    }
