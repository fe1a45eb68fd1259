"""Facts are found among any words, and joined texts give the characters of each text."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.scoring.stated_values import alphanumeric, find_identifiers

FACTS = st.sampled_from(
    [
        "#W2378156",
        "yusuf.rossi@example.com",
        "19122",
        "+1 (555) 012-3456",
        "ABC_123",
        "x9y8z7",
        "K1NG5",
    ]
)
NO_FACTS = st.sampled_from(["$1,200.50", "2024-05-01", "12:30", "256GB", "1900", "30 dollars"])
WORDS = st.text("abzAZ", min_size=1, max_size=100)
JOINTS = st.sampled_from([" ", ", ", "? ", "\n", "; "])


@given(st.lists(FACTS | NO_FACTS | WORDS, max_size=8), st.data())
def test_plain_words_around_facts_change_none_of_them(said: list[str], data: st.DataObject) -> None:
    alone = [fact for each in said for fact in find_identifiers(each)]
    padded = [f"{word}. " for each in said for word in (data.draw(WORDS), each, data.draw(WORDS))]
    assert list(find_identifiers("".join(padded))) == alone


@given(st.lists(st.text(max_size=20) | FACTS, max_size=6), JOINTS)
def test_what_is_left_of_joined_texts_is_what_is_left_of_each(texts: list[str], joint: str) -> None:
    assert alphanumeric(joint.join(texts)) == "".join(map(alphanumeric, texts))
