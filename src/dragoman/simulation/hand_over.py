"""The words that announce a hand-over to a person."""


def is_hand_over(said: str) -> bool:
    """Whether an agent announces, in the words that policies prescribe, that it hands over."""
    return "TRANSFERRED TO A HUMAN" in said.upper()
