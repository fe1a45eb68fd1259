"""Values that a shell completes: the names of `dragoman list` that can be typed as they stand."""

import re
from collections.abc import Callable

OF_OPTIONS = {
    "suite": "suites",
    "agents": "agents",
    "user": "users",
    "judge": "judges",
    "user_judge": "judges",
    "rules": "rules",
    "languages": "languages",
    "scenarios": "scenarios",
    "voices": "voices",
    "personas": "personas",
    "measures": "measures",
    "backend": "backends",
}
"""Which names of `dragoman list` an option of a run takes."""

_TYPED = re.compile(r"[a-z0-9][a-z0-9_:@.-]*")
"""A name, and no pattern such as PROVIDER/MODEL."""


def completing(kind: str) -> Callable[[str], list[str]]:
    """Return what completes a text by names of one kind; of several by commas it completes the last."""

    def complete(incomplete: str) -> list[str]:
        from dragoman.cli.listing import names

        before, comma, begun = incomplete.rpartition(",")
        # A line that begins with an option's name is of a name for that other option.
        known = (
            name
            for name, about in names(kind).items()
            if _TYPED.fullmatch(name) and not about.startswith("--")
        )
        return [f"{before}{comma}{name}" for name in known if name.startswith(begun)]

    return complete
