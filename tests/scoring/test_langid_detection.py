"""The second detector of languages: labels, probabilities, and nothing of nothing."""

import pytest

from dragoman.scoring.language_detection import detector_label, load_langid

TEXTS = {
    "pt": "Quero saber se amanhã vai chover na cidade onde moram os meus pais.",
    "ja": "明日の東京の天気を教えてください。",
    "zu": "Ngifuna ukwazi isimo sezulu kusasa eThekwini.",
    "vi": "Cho tôi biết giá xăng ở Hà Nội hôm nay.",
}


@pytest.mark.parametrize(("label", "text"), TEXTS.items(), ids=list(TEXTS))
def test_a_sentence_has_the_label_of_its_language(label: str, text: str) -> None:
    found = load_langid().detect(text)
    assert found is not None
    assert found.label == label
    assert 0.5 < found.probability <= 1.0 + 1e-6


def test_nothing_but_white_space_has_no_language() -> None:
    assert load_langid().detect(" \n") is None


@pytest.mark.parametrize(
    ("tag", "label"), [("fil-PH", "tl"), ("zh-Hans", "zh"), ("pt-BR", "pt"), ("xh", "xh")]
)
def test_tags_have_its_labels(tag: str, label: str) -> None:
    assert detector_label(tag, load_langid()) == label
