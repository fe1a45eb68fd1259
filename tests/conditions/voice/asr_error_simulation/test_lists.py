"""Words of each language, from installed packages or counted in our own texts."""

import importlib.resources
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.conditions.voice.asr_error_simulation.vocabulary import listed_words
from dragoman.core.errors import DataError, UsageError

SENTENCES = Path(__file__).resolve().parents[4] / "bench" / "voice"
RECOGNITION_ERRORS = (
    "simulated hearing in Thai and Chinese is an extra: pip install 'dragoman[asr-errors]'"
)
VOICE = "speech is an extra: pip install 'dragoman[voice]'"
EXTRAS = (
    *("espeakng_loader", "pocketsphinx", "scipy", "soundfile", "soxr"),
    *("jieba", "pypinyin", "pythainlp"),
)


@pytest.mark.parametrize(
    ("language", "package", "line"),
    [
        ("en", "pocketsphinx", VOICE),
        ("th", "pythainlp", RECOGNITION_ERRORS),
        ("zh", "jieba", RECOGNITION_ERRORS),
        ("zh", "pypinyin", RECOGNITION_ERRORS),
    ],
)
def test_without_a_package_one_line_says_what_to_install(
    language: str, package: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as caught:
        listed_words(language)
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff\xfe", "invalid start byte"),
        ("你好\n".encode(), "not enough values to unpack"),
        ("你好 often n\n".encode(), "invalid literal for int"),
        ("\U0002a6a5 3 n\n".encode(), "there are none"),
        (None, "No such file or directory"),
    ],
)
def test_a_damaged_list_is_one_line_and_no_shorter_list(
    content: bytes | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jieba").mkdir()
    (tmp_path / "jieba" / "__init__.py").touch()
    if content is not None:
        (tmp_path / "jieba" / "dict.txt").write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DataError) as caught:
        listed_words("zh")
    (line,) = str(caught.value).splitlines()
    assert line.startswith("the words of 'zh' cannot be read where they are installed (")
    assert why in line
    assert line.endswith("): pip install --force-reinstall 'dragoman[asr-errors]'")


@pytest.mark.parametrize(
    ("language", "words", "first"),
    [
        ("en", 16_000, ("the", "DH AH")),
        ("th", 10_000, ("ที่", "")),
        ("zh", 11_487, ("了", "le5")),
        ("vi", 716, ("tôi", "")),
        ("id", 625, ("saya", "")),
        ("tl", 642, ("ang", "")),
    ],
)
def test_every_language_has_its_words_the_frequent_ones_first(
    language: str, words: int, first: tuple[str, str]
) -> None:
    listed = listed_words(language)
    counts = [word.count for word in listed]
    assert len({word.text for word in listed}) == len(listed) == words
    assert (listed[0].text, listed[0].sounds) == first
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] > 0


def test_phrases_are_read_as_phrases_and_characters_by_themselves() -> None:
    sounds = {word.text: word.sounds for word in listed_words("zh")}
    assert (sounds["银行"], sounds["旅行"]) == ("yin2 hang2", "lv3 xing2")


def test_sentences_that_rates_are_measured_on_are_in_no_list() -> None:
    own = importlib.resources.files("dragoman.conditions.voice.asr_error_simulation").joinpath(
        "texts"
    )
    listed = {line for file in own.iterdir() for line in file.read_text("utf-8").splitlines()}
    measured = (SENTENCES / "filipino_sentences.txt").read_text("utf-8").splitlines()
    assert len(measured) == 50
    assert not listed & set(measured)


def test_vietnamese_indonesian_and_filipino_need_no_extra_and_no_package_s_code_is_run() -> None:
    program = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({EXTRAS}))\n"
        "from dragoman.conditions.voice.channel import SimulatedPath\n"
        "from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator\n"
        "for language in ('vi', 'id', 'tl'):\n"
        "    assert SimulatedPath(language, ErrorSimulator(), 0.1).identity\n"
        f"for name in {EXTRAS}:\n"
        "    del sys.modules[name]\n"
        "for language in ('en', 'th', 'zh'):\n"
        "    assert SimulatedPath(language, ErrorSimulator(), 0.1).identity\n"
        f"print(sorted(set({EXTRAS}) & set(sys.modules)))\n"
    )
    reported = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert reported.stdout == "[]\n"
