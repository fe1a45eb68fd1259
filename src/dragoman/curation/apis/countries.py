"""In which language people of a country would ask."""

import functools
from importlib.resources import files

import msgspec

from dragoman.core.apis.documents import ApiDocument


def language_of(document: ApiDocument) -> str:
    """Return the language in which users of an API would ask; "" where neither text nor country tells.

    It is the country's, as the source asks for, or else that of the document.
    """
    found = _languages().get(document.country, ())
    return found[0] if found else document.language


@functools.cache
def _languages() -> dict[str, tuple[str, ...]]:
    content = (files(__package__) / "countries.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, tuple[str, ...]])
