import pytest

from dragoman.curation.translation.glossary import Glossary
from dragoman.curation.translation.qa_issues import qa_issue
from dragoman.curation.translation.quality import SecondOpinion, chrf, quality_of
from dragoman.curation.translation.segments import Segment

SEGMENT = Segment("a::b", "tasks", "The status is pending.", "text", "shop/text")
SPACE = qa_issue("outer-space", "a::b", "white space")
COPIED = qa_issue("copied", "a::b", "as in English")


def test_nothing_found_is_one(no_glossary: Glossary) -> None:
    quality = quality_of(SEGMENT, "Trạng thái.", (), no_glossary)

    assert (quality.score, quality.reasons) == (1.0, ())
    assert quality.version == "dragoman-quality-1"


def test_each_anomaly_takes_its_weight_and_the_gravest_is_named_first(
    no_glossary: Glossary,
) -> None:
    quality = quality_of(SEGMENT, "x", (SPACE, COPIED), no_glossary)

    assert quality.score == pytest.approx(0.1 + 0.9 * 0.98 * 0.2)
    assert quality.reasons == ("copied: as in English", "outer-space: white space")


def test_one_kind_takes_its_weight_three_times_at_most(no_glossary: Glossary) -> None:
    often = qa_issue("space-between-han", "a::b", "spaces", 40)

    assert quality_of(SEGMENT, "x", (often,), no_glossary).score == pytest.approx(
        0.1 + 0.9 * 0.9**3
    )


def test_a_term_that_is_not_called_by_its_label_takes_a_tenth_of_what_is_left(
    thai: Glossary,
) -> None:
    assert quality_of(SEGMENT, "สถานะคือรอดำเนินการ", (), thai).score == 1
    assert quality_of(SEGMENT, "สถานะคือค้าง", (), thai).score == pytest.approx(0.91)


def test_what_is_refused_lies_below_everything_that_is_not(no_glossary: Glossary) -> None:
    lost = qa_issue("id-lost", "a::b", "HAT001 is not repeated")
    flagged = [
        qa_issue(code, "a::b", "bad", 9) for code in ("copied", "wrong-language", "label-missing")
    ]

    refused = quality_of(SEGMENT, "x", (lost,), no_glossary).score

    assert refused == pytest.approx(0.05)
    assert quality_of(SEGMENT, "x", tuple(flagged), no_glossary).score > 0.1


def test_what_others_say_is_multiplied_in_by_its_mean(no_glossary: Glossary) -> None:
    def score(others: SecondOpinion) -> float:
        return quality_of(SEGMENT, "x", (), no_glossary, others).score

    assert score(SecondOpinion(model_score=0.6)) == pytest.approx(0.64)
    assert score(SecondOpinion(back_translation="The status is pending.")) == 1
    assert score(SecondOpinion(0.6, "The status is pending.")) == pytest.approx(0.82)


@pytest.mark.parametrize(
    ("reference", "text", "expected"),
    [
        ("", "", 1.0),
        ("abc", "", 0.0),
        ("abc", "xyz", 0.0),
        ("a b c", "abc", 1.0),
        # Unigrams 2 of 3, bigrams 1 of 2, trigrams none: a mean of 7/18 on both sides.
        ("abc", "abd", 7 / 18),
    ],
)
def test_chrf_is_the_f_score_of_character_ngrams(
    reference: str, text: str, expected: float
) -> None:
    assert chrf(reference, text) == pytest.approx(expected)
