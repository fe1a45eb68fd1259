"""What is said of a run that asks servers on this machine."""

from dragoman.report import wording
from dragoman.wiring.waiting import WaitingLimits

MAX_NAMED = 3


def chosen_line(waiting: WaitingLimits) -> str:
    """Return what was chosen because of servers on this machine, with the options; "" for nothing."""
    chosen = {
        "concurrency": f"{wording.counted(waiting.concurrency, 'conversation')} at a time "
        "(--concurrency)",
        "read_timeout": f"silence of up to {waiting.local_read_timeout:g} s (--read-timeout)",
    }
    said = [chosen[name] for name in waiting.chosen]
    if not said:
        return ""
    servers = [
        each.name if each.address in each.name else f"{each.name} at {each.address}"
        for each in waiting.local_servers[:MAX_NAMED]
    ]
    more = len(waiting.local_servers) - MAX_NAMED
    named = ", ".join([*servers, *([f"and {more} more"] if more > 0 else [])])
    return f"on this machine: {named}: {', '.join(said)}"
