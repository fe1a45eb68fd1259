"""Without the extra, one line says how to get it."""

import subprocess
import sys

import pytest

from dragoman.conditions.voice.pocketsphinx_data import installed_version
from dragoman.core.errors import UsageError
from dragoman.speech.embedded.espeak_library import SpeechLibrary


def test_without_the_engine_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    with pytest.raises(UsageError, match=r"^speech is an extra: pip install 'dragoman\[voice\]'$"):
        SpeechLibrary()


def test_a_package_that_is_absent_has_no_version() -> None:
    with pytest.raises(UsageError, match=r"pip install 'dragoman\[voice\]'"):
        installed_version("no-such-package-of-ours")
    assert installed_version("pocketsphinx").startswith("5.")


def test_importing_the_engines_loads_nothing_heavy() -> None:
    program = (
        "import sys, dragoman.speech.embedded.synthesizer, dragoman.speech.embedded.recognizer,"
        " dragoman.speech.embedded.worker\n"
        "heavy = {'numpy', 'scipy', 'soxr', 'soundfile', 'espeakng_loader'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    reported = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert reported.stdout == "[]\n"
