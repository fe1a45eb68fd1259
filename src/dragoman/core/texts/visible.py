"""Characters that act instead of being seen, written out.

Control characters steer a terminal, and the bidirectional controls let a text pose as another one.
Marks and joiners that right-to-left and Indic scripts need are left as they are.
"""

import re

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Return a text with its acting characters written out; line ends and tabs are kept."""
    return _ACTING.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
