"""What an operation is for, where its document says so."""

import functools
from collections.abc import Mapping
from importlib.resources import files

import msgspec

from dragoman.curation.apis.collecting.values import first_text, sequence, text


def category_of(operation: Mapping[str, object]) -> str:
    """Return the category that an operation states, or the first of its tags that is one; "" for none.

    Other tags only group the operations of one document.
    """
    known = _known()
    tags = (known.get(text(tag).casefold(), "") for tag in sequence(operation.get("tags")))
    return first_text(operation, "x-category") or next(filter(None, tags), "")


@functools.cache
def _known() -> dict[str, str]:
    content = files(__package__).joinpath("categories.toml").read_bytes()
    names = msgspec.toml.decode(content, type=dict[str, tuple[str, ...]])["names"]
    return {name.casefold(): name for name in names}
