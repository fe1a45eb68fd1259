"""What stands around calls in a reply: fences, brackets and tags."""

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

_OPENING, _CLOSING = "<TOOLCALL>", "</TOOLCALL>"


def bracketed(text: str) -> str:
    """Return a text without backticks, newlines and spaces around it, in square brackets."""
    text = text.strip("`\n ")
    if not text.startswith("["):
        text = f"[{text}"
    return text if text.endswith("]") else f"{text}]"


def tagged(text: str) -> str:
    """Return what stands between the first tags of a tool call, or raise UnreadableError."""
    _, opened, rest = text.partition(_OPENING)
    inside, closed, _ = rest.partition(_CLOSING)
    if not opened or not closed:
        raise UnreadableError(f"no {_OPENING} with its {_CLOSING}")
    return inside.strip()
