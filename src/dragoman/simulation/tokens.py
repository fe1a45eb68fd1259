"""The tokens by which a user ends a conversation, and the words that announce a hand-over."""

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"


def is_hand_over(said: str) -> bool:
    """Whether an agent announces, in the words that policies prescribe, that it hands over."""
    return "TRANSFERRED TO A HUMAN" in said.upper()
