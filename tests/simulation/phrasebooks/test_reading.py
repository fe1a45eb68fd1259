"""A phrasebook is read strictly: an error is reported in one line, with its place."""

from pathlib import Path

import pytest

from dragoman.core.errors import DataError
from dragoman.simulation import phrasebooks
from dragoman.simulation.phrasebooks import (
    MAX_BYTES,
    decode_phrasebook,
    english_phrasebook,
    find_phrasebook,
)

ENGLISH = Path(phrasebooks.__file__).parent.joinpath("phrasebooks", "en.toml").read_text("utf-8")


def changed(old: str, new: str) -> bytes:
    assert ENGLISH.count(old) == 1
    return ENGLISH.replace(old, new).encode()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'unable = "I cannot do that."',
            'unable = " "',
            "says.unable: the sentence is empty",
        ),
        (
            'fact = "The {label} is {value}."',
            'fact = "The {label}."',
            "says.fact: {value} must stand in it once",
        ),
        (
            'done = "Done."',
            'done = "Done {now}."',
            "says.done: unknown slot {now}",
        ),
        (
            'done = "Done."',
            'done = "Done {."',
            "says.done: a brace belongs to no slot",
        ),
        (
            '"the {label} is {value}"',
            '"{value} is the {label}"',
            "says.read_back_fact: {label} must stand before {value}",
        ),
        (
            'right = "Yes, that is right."',
            'right = "So it is."',
            "says.right is not recognized by hears.agreed: 'So it is.'",
        ),
        (
            'all_done = "All done."',
            'all_done = "All done, please."',
            "says.all_done is taken for hears.request, by 'please'",
        ),
        (
            '"the {label} is {value}"',
            '"the {label} equals {value}"',
            "says.read_back_fact: what stands behind {label} is not in \"is\" of [words]: ' equals 7'",
        ),
        (
            '"The {label} is {value}, spelled {spelled}."',
            '"The {label} is {value}, spelled as{spelled}."',
            "says.fact_spelled: {spelled} needs a space or a mark before and behind it",
        ),
        (
            'day = "day"',
            'day = "date"',
            "labels.date is called what day is called: 'date'",
        ),
        (
            'hand_over = ["/TRANSFERRED TO A HUMAN/"]',
            'hand_over = ["/(/"]',
            "hears.hand_over: '/(/' is not a regular expression",
        ),
        (
            'hand_over = ["/TRANSFERRED TO A HUMAN/"]',
            'hand_over = ["*"]',
            "hears.hand_over: '*' is empty",
        ),
        (
            'is = ["is", "was"]',
            "is = []",
            'words: "is" is empty: what stands between a fact and its value?',
        ),
        (
            "\n[signs]\n",
            '\n[signs]\n"@" = "at sign"\n',
            "signs: 'at sign' for '@' must be one word without a hyphen",
        ),
        (
            "\n[signs]\n",
            '\n[signs]\n"@" = "dot"\n',
            "signs: two signs have one name",
        ),
        (
            'clause_ends = ".,"',
            'clause_ends = ""',
            "writing.clause_ends is empty: what ends a clause?",
        ),
        (
            'language = "en"',
            'language = "en"\nnote = "?"',
            "no phrasebook (Object contains unknown field `note`)",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, message: str) -> None:
    with pytest.raises(DataError) as raised:
        decode_phrasebook(changed(old, new), "ms.phrases.toml")
    assert str(raised.value).startswith(f"ms.phrases.toml: {message}")
    assert "\n" not in str(raised.value)


def test_a_name_needs_groups() -> None:
    content = changed("(?P<given>[A-Z]", "(?P<first>[A-Z]")
    with pytest.raises(DataError, match=r"must have the groups name or family, given"):
        decode_phrasebook(content, "x")


def test_names_are_regular_expressions() -> None:
    start = ENGLISH.index("name = [")
    end = ENGLISH.index("]\n", ENGLISH.index("(?P<family>"))
    content = f'{ENGLISH[:start]}name = ["I am"{ENGLISH[end:]}'.encode()
    with pytest.raises(DataError, match=r"'I am' must be a regular expression between slashes"):
        decode_phrasebook(content, "x")


def test_the_name_of_a_phrasebook_changes_with_its_content() -> None:
    other = decode_phrasebook(changed('done = "Done."', 'done = "Did it."'), "x")
    assert other.name.startswith("en@")
    assert other.name != english_phrasebook().name
    assert decode_phrasebook(ENGLISH.encode(), "y").name == english_phrasebook().name


def test_a_language_of_ones_own_brings_its_phrases_beside_its_file(tmp_path: Path) -> None:
    file = tmp_path / "ms.toml"
    assert find_phrasebook("ms", file) is None
    (tmp_path / "ms.phrases.toml").write_bytes(changed('language = "en"', 'language = "ms"'))
    found = find_phrasebook("ms", file)
    assert found is not None
    assert found.name.startswith("ms@")


def test_a_file_without_phrases_beside_it_has_those_that_ship(tmp_path: Path) -> None:
    assert find_phrasebook("en", tmp_path / "en.toml") is english_phrasebook()


def test_phrases_are_bounded_in_size(tmp_path: Path) -> None:
    (tmp_path / "ms.phrases.toml").write_text("#" * (MAX_BYTES + 1), "utf-8")
    with pytest.raises(DataError, match=r"phrases take at most 200000 bytes"):
        find_phrasebook("ms", tmp_path / "ms.toml")
