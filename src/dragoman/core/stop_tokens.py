"""The tokens by which a simulated user ends a conversation, as tau2-bench's prompts have them."""

import re

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"
OUT_OF_SCOPE = "###OUT-OF-SCOPE###"
STOP_TOKENS = (STOP, TRANSFER, OUT_OF_SCOPE)

MARKS = "###"
MARKER = re.compile(rf"{MARKS}[^#\n]{{1,40}}{MARKS}")
"""Whatever looks like such a token: it is for the harness, and nobody says it."""


def has_stop(words: str) -> bool:
    """Whether a message contains a stop token."""
    return any(token in words for token in STOP_TOKENS)
