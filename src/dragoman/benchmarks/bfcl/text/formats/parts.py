"""What stands between marks in a reply, found in one pass over it."""

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

_ENDINGS = ("<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end_of_text|>", "<|end|>", "</s>")
_FENCE = "```"


def after(text: str, mark: str) -> str:
    """Return what follows a mark, or raise UnreadableError where it is not there."""
    _, marked, rest = text.partition(mark)
    if not marked:
        raise UnreadableError(f"no {mark}")
    return without_ending(rest)


def between(text: str, opening: str, closing: str) -> list[str]:
    """Return what follows each opening mark up to its closing one, the next opening or the end.

    Raises:
        UnreadableError: Where there is no opening mark.
    """
    _, *parts = text.split(opening)
    if not parts:
        raise UnreadableError(f"no {opening}")
    return [without_ending(part.partition(closing)[0]) for part in parts]


def fenced(text: str) -> list[str]:
    """Return what the fences of a reply hold, without the languages that they name."""
    insides = text.split(_FENCE)[1::2]
    return [_without_language(inside) for inside in insides]


def without_ending(text: str) -> str:
    """Return a text without spaces around it and special tokens at its end."""
    text = text.strip()
    while ending := next((each for each in _ENDINGS if text.endswith(each)), ""):
        text = text.removesuffix(ending).rstrip()
    return text


def _without_language(inside: str) -> str:
    first, _, rest = inside.partition("\n")
    names_one = first.strip().replace("_", "").isalnum()
    return (rest if names_one else inside).strip()
