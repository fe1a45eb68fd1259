"""What a host asks of robots (RFC 9309): the rules for us, and whether a path is allowed."""

from urllib.parse import quote, unquote_to_bytes

import msgspec

MOST_BYTES = 500 * 1024
"""How much of a robots.txt is read."""

_MOST_RULES = 5_000


class RobotRules(msgspec.Struct, frozen=True):
    """The rules of one host for us: patterns of paths, and whether each allows."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allows(self, path: str) -> bool:
        """Whether a path with its query may be asked; the longest pattern decides, and allows in doubt."""
        asked = _normal(path or "/")
        longest = max(
            (
                (len(pattern), allowed)
                for pattern, allowed in self.rules
                if _matches(pattern, asked)
            ),
            default=(0, True),
        )
        return longest[1]


EVERYTHING = RobotRules()


def robot_rules(text: str, agent: str) -> RobotRules:
    """Read a robots.txt.

    Args:
        text: What it says.
        agent: The name by which we are known, without a version.
    """
    ours: list[tuple[str, bool]] = []
    anyones: list[tuple[str, bool]] = []
    named: set[str] = set()
    in_rules = has_ours = False
    for line in text.splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            named = {value.lower()} if in_rules else named | {value.lower()}
            in_rules = False
            has_ours = has_ours or agent.lower() in named
        elif field in {"allow", "disallow"}:
            in_rules = True
            rule = (_normal(value), field == "allow")
            if value and agent.lower() in named:
                ours.append(rule)
            elif value and "*" in named:
                anyones.append(rule)
    return RobotRules(tuple((ours if has_ours else anyones)[:_MOST_RULES]))


def _normal(path: str) -> str:
    """Return a path in which everything is escaped in one way."""
    return quote(unquote_to_bytes(path), safe="/?&=*$:@!,;+'()~-._%")


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern with * and a last $ fits the beginning of a path, in one walk without going back."""
    ends = pattern.endswith("$")
    first, *pieces = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for piece in pieces[:-1] if ends else pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if not ends:
        return True
    last = pieces[-1] if pieces else ""
    return (len(path) - len(last) >= at and path.endswith(last)) if pieces else at == len(path)
