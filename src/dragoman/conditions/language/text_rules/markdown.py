"""Parts of a text that a translation keeps: lines, headings, list items, code, what is quoted."""

import re

_HEADING = re.compile(r"#{1,6}\s")
_LIST_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
LITERAL = re.compile(r"(?<![A-Za-z0-9])'([^'\n]{1,80})'(?![A-Za-z0-9])")
BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
QUOTED = re.compile(r'["\u201c\u300c]([^"\u201c\u201d\u300c\u300d\n]+)["\u201d\u300d]')


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def headings_of(text: str) -> list[str]:
    """Return the headings of a text."""
    return [line for line in lines_of(text) if _HEADING.match(line)]


def list_items_of(text: str) -> list[str]:
    """Return the list items of a text."""
    return [line for line in lines_of(text) if _LIST_ITEM.match(line)]


def code_spans_of(text: str) -> list[str]:
    """Return what stands between backticks in a text."""
    return CODE_SPAN.findall(text)


def quoted_in(text: str) -> list[str]:
    """Return what stands in double quotes in a text, straight or as the script has them."""
    return QUOTED.findall(text)


def without_code(text: str) -> str:
    """Return a text without its code spans."""
    return CODE_SPAN.sub("", text)
