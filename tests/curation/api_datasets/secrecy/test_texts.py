"""Secrets are removed from running text, and placeholders stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.curation.api_datasets.credential_detection import (
    find_secrets,
    fingerprints_of,
    has_fingerprint,
    has_random_string,
    redact_secrets,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("curl -H 'X-API-Key: abc123def456' https://h/", "curl -H 'X-API-Key: ***' https://h/"),
        ("https://u:p4ss@h/", "https://u:***@h/"),
        ("curl --user bob:hunter22 https://h/", "curl --user bob:*** https://h/"),
        ("la clé de test est 9f8e7d6c5b4a3210", "la clé de test est ***"),
        ("Authorization: Bearer abc.def123.ghi", "Authorization: Bearer ***"),
        ("?api_key=DEMOKEY42&x=1", "?api_key=***&x=1"),
        ('{"apiKey": "zx81zx81"}', '{"apiKey": "***"}'),
        ("sk-proj-abcdef1234567890ABCD", "***"),
        ("mot de passe : hunter2secret", "mot de passe : ***"),
        ("Chave: 4f5g6h7j8k9l", "Chave: ***"),
        ("密钥\N{FULLWIDTH COLON}abc123def456", "密钥\N{FULLWIDTH COLON}***"),
    ],
)
def test_a_secret_in_a_text_is_taken_out(text: str, plain: str) -> None:
    assert redact_secrets(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "Bearer token required. See https://docs.example/a1b2c3d4e5",
        "Get the key at https://example.com/keys2024/ab12cd34ef",
        "The token must be a JWT",
        "keyword: abcdefgh123",
        "X-API-Key (string, required): your key",
        "X-API-Key: YOUR_API_KEY",
        "Send ocp-apim-subscription-key with each call.",
        "Token for page 2024-01-02T10:00:00Z",
        "Flight LH2024 from FRA1 to MUC2, seat 12A",
        "Combien de gares y a-t-il à Lyon 3e ?",
    ],
)
def test_what_holds_no_secret_stays_as_it_is(text: str) -> None:
    assert find_secrets(text) == []
    assert redact_secrets(text) == text


@pytest.mark.parametrize(
    "text",
    ["Gares ? SECRET-KEY-12345", "cle-secrete-0123456789", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF"],
)
def test_what_people_do_not_say_is_told_among_what_they_say(text: str) -> None:
    assert has_random_string(text)
    assert not has_random_string("Les gares de Lyon le 2026-11-27, vol AF1234, billet 0012345678 ?")


KEYS = st.text("abcdefghijkmnpqrstuvwxyzABCDEFGH23456789-_", min_size=12, max_size=40)


@given(KEYS, st.text(max_size=40), st.text(max_size=40))
def test_a_secret_that_is_known_stands_nowhere_afterwards(
    key: str, before: str, after: str
) -> None:
    assert key not in redact_secrets(f"{before}{key}{after}", [key])


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9]{10,30}[0-9]{2}", fullmatch=True))
def test_a_fingerprint_tells_a_secret_among_words_and_holds_none(key: str) -> None:
    prints = set(fingerprints_of([key]))
    assert has_fingerprint(f"Montre-moi ({key}), s'il te plaît.", prints)
    assert not has_fingerprint("Montre-moi autre chose, s'il te plaît.", prints)
    assert not any(key in each for each in prints)
