"""Whether the prices that ship were looked up lately."""

from datetime import date

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.models.prices import OLD_DAYS, load_prices

PART, SUBJECT = "prices", "price table"


def list_prices(today: date) -> CheckedThing:
    """Return how many of the prices that ship are old on a day, and what to do."""
    table = load_prices(None)
    aged = table.aged(table.prices, today)
    if not aged:
        return CheckedThing(PART, SUBJECT, "ok", f"{len(table.prices):,}, {table.as_of}")
    found = (
        f"{len(aged):,} of {len(table.prices):,} were looked up more than {OLD_DAYS} days ago, "
        f"the oldest on {aged[0].origin.as_of}"
    )
    todo = "give those of your models with --prices FILE (docs/costs.md)"
    return CheckedThing(PART, SUBJECT, "old", found, todo)
