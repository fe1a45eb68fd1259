"""`dragoman speak`."""

from pathlib import Path
from typing import NamedTuple

from dragoman.cli.output import INTERRUPTED, print_error, print_json, print_line, progress
from dragoman.core.costs import cost_of
from dragoman.core.errors import UsageError
from dragoman.curation.speech.card import Card
from dragoman.curation.speech.making import AudioSetRequest, Speaking
from dragoman.curation.speech.verifying import problems_of
from dragoman.models.spending.prices import load_prices
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.store.audio_sets.layout import TEXTS

_SHOWN = 20


class SpeakOptions(NamedTuple):
    """The options of `speak` as they were given."""

    suites: str
    rewriter: str
    topics: str
    out: Path
    seed: int
    concurrency: int
    max_cost: str
    prices: Path | None

    def request(self) -> AudioSetRequest:
        """Return what is asked for.

        Raises:
            UsageError: For no suite, or a number below 1.
        """
        if self.concurrency < 1:
            raise UsageError(f"--concurrency {self.concurrency}: at least 1")
        names = tuple(name.strip() for name in self.suites.split(",") if name.strip())
        if not names:
            raise UsageError("no suite: name one, or several by commas (`dragoman list suites`)")
        return AudioSetRequest(
            tuple(dict.fromkeys(names)),
            self.rewriter,
            self.out,
            self.topics,
            self.seed,
            self.concurrency,
            self.max_cost,
            self.prices,
        )


def speak_suites(asked: SpeakOptions, *, as_json: bool) -> int:
    """Write the texts of a set."""
    request = asked.request()
    speaking = Speaking(request)
    try:
        with progress("messages", len(speaking.messages)) as advance:

            def on_done(count: int) -> None:
                for _ in range(count):
                    advance()

            card = speaking.run(on_done)
    except KeyboardInterrupt:
        print_error(f"stopped; what came is in {request.out / TEXTS}: the same command goes on")
        return INTERRUPTED
    if as_json:
        print_json(card)
    else:
        _print_card(card, request)
    return 0


def verify_set(folder: Path, *, as_json: bool) -> int:
    """Say what is wrong with a set; 1 where something is."""
    problems = problems_of(folder)
    if as_json:
        print_json({"set": str(folder), "problems": problems})
        return 1 if problems else 0
    for problem in problems[:_SHOWN]:
        print_line(problem)
    if len(problems) > _SHOWN:
        print_line(f"and {len(problems) - _SHOWN:,} more")
    print_line(f"{folder}: {wording.counted(len(problems), 'problem')}")
    return 1 if problems else 0


def _print_card(card: Card, request: AudioSetRequest) -> None:
    headings = (
        "category",
        "messages",
        "values",
        "exactly",
        "spelled",
        "in words",
        "lost",
        "milder",
    )
    rows = tuple(
        (
            name,
            f"{each.messages:,}",
            f"{each.values:,}",
            *(f"{each.found.get(how, 0):,}" for how in headings[3:6]),
            f"{each.lost:,}",
            f"{sum(each.grades.get(grade, 0) for grade in ('values kept', 'mild', 'text')):,}",
        )
        for name, each in card.categories.items()
    )
    note = "Values of expected calls that messages state, and how they are found again."
    print_table(TextTable(headings, rows, str(request.out), note, numbers=frozenset(headings[1:])))
    prices = load_prices(request.prices)
    for usage in card.usage:
        print_line(
            f"{usage.model}: {wording.calls(usage)} calls, {wording.sent(usage)} tokens in, "
            f"{wording.received(usage)} out, {wording.money(cost_of(usage, prices.price_of))} "
            f"({prices.as_of})"
        )
