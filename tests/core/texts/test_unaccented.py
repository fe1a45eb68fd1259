import pytest

from dragoman.core.texts.characters import strip_accents


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("Søren  Ågesen", "soren agesen"),
        ("ÞÓRDÍS", "thordis"),
        ("Đặng Thị Hà", "dang thi ha"),
        ("Brzęczyk", "brzeczyk"),
        ("魏志强", "魏志强"),
    ],
)
def test_a_name_is_compared_without_accents_case_and_surplus_spaces(name: str, bare: str) -> None:
    assert strip_accents(name) == bare
