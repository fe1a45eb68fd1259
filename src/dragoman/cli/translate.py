"""Implementation of `dragoman translate` and `dragoman list texts`."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, get_args

from dragoman.cli.output import INTERRUPTED, print_error, print_json, print_line
from dragoman.cli.progress import progress
from dragoman.composition.concurrency import require_read_timeout
from dragoman.conditions.language.artifacts import ENGLISH, AssetFolder, languages_of
from dragoman.config.environment import data_folder
from dragoman.core.capabilities import Translatable
from dragoman.core.costs import cost_of
from dragoman.core.errors import RunHalted, UsageError
from dragoman.core.progress import long_step
from dragoman.core.protocols import Suite
from dragoman.core.usage import Usage
from dragoman.curation.translation.checks.anomalies import MEANINGS
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.estimates import estimates, explained
from dragoman.curation.translation.running import (
    LanguagePlan,
    LanguageResult,
    Translating,
    TranslationRequest,
    TranslationResult,
)
from dragoman.curation.translation.segments import Component, TranslatableDomain
from dragoman.curation.translation.settling import Settled
from dragoman.curation.translation.statistics import (
    DomainStatistics,
    InstanceCount,
    LanguageStatistics,
    statistics_in,
    statistics_of,
)
from dragoman.models.http.transport import RetryPolicy
from dragoman.models.prices import PriceTable
from dragoman.registry.suites import load_suite
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table

_INSTANCES = ("files", "tasks", "docstrings", "policies", "messages")


def print_texts(suite: str | None) -> None:
    """Print how much there is to translate of a suite, by file, and what its languages have.

    Raises:
        UsageError: Where no suite is named, one that does not exist, or that cannot be translated.
        DataError: Where data are missing or damaged.
    """
    if suite is None:
        raise UsageError("list texts: name a suite: `dragoman list texts courier`")
    loaded = load_suite(suite)
    domain = domain_of(loaded, data_folder())
    found = statistics_of(domain)
    _print_files(found)
    _print_languages(found, list(_languages(loaded, domain)))
    _print_schemas(found)
    _print_records(found)


def _languages(suite: Suite, domain: TranslatableDomain) -> Iterator[LanguageStatistics]:
    """Yield what each language has of the artifacts that come with a suite, or were pulled for it."""
    release = suite.english().release if isinstance(suite, Translatable) else None
    if release is None:
        return
    root = release.folder(data_folder()) / domain.domain
    for language in languages_of(root):
        yield statistics_in(domain, AssetFolder(root / language), language)


def _print_files(found: DomainStatistics) -> None:
    rows = [
        (each.file, each.component, *map(_number, (each.segments, each.texts, each.characters)))
        for each in found.files
    ]
    characters = sum(each.characters for each in found.files)
    total = ("", "", *map(_number, (found.segments, found.texts, characters)))
    _print(
        found.domain,
        ("file", "for", "places", "texts", "characters"),
        (*rows, total),
        "Equal texts of a context are one text, in whatever file they are.",
    )


def _print_languages(found: DomainStatistics, languages: list[LanguageStatistics]) -> None:
    rows = [
        (
            each.language,
            *_instances(each.instances),
            _number(each.translated),
            _number(sum(each.left.values())),
        )
        for each in languages
    ]
    english = (ENGLISH, *_instances(found.instances), "", "")
    splits = ", ".join(f"{name} {count:,}" for name, count in found.splits.items())
    _print(
        "",
        ("language", *_INSTANCES, "translated", "left"),
        (english, *rows),
        f"Tasks by split: {splits}." if splits else "",
    )
    for each in languages:
        for why, count in each.left.items():
            print_line(f"{each.language}: {count:,} left: {why}")


def _print_schemas(found: DomainStatistics) -> None:
    rows = tuple(
        (each.file, *map(_number, (each.models, each.value_sets, each.values, each.distinct)))
        for each in found.schemas
    )
    note = f"Different values in all: {found.distinct_values:,}." if len(rows) > 1 else ""
    _print("", ("schema", "models", "value sets", "values", "different"), rows, note)


def _print_records(found: DomainStatistics) -> None:
    rows = tuple((each.file, each.collection, _number(each.records)) for each in found.collections)
    if rows:
        _print("", ("database", "collection", "records"), rows, "")


def _instances(count: InstanceCount) -> tuple[str, ...]:
    return tuple(_number(getattr(count, name)) for name in _INSTANCES)


def _number(count: int) -> str:
    return f"{count:,}"


def _print(
    title: str, headings: tuple[str, ...], rows: tuple[tuple[str, ...], ...], note: str
) -> None:
    texts = {"file", "for", "language", "schema", "database", "collection"}
    numbers = frozenset(headings) - texts
    print_table(TextTable(headings, rows, title, note, numbers=numbers))


_COMPONENTS: tuple[Component, ...] = get_args(Component)
_SHOWN = 10
_MOST = 200


class TranslateOptions(NamedTuple):
    """The options of `translate` as they were given."""

    suite: str
    to: tuple[str, ...]
    model: str
    out: Path
    memory: Path | None
    assets: str
    components: tuple[str, ...]
    only_stale: bool
    batch_size: int
    concurrency: int
    max_cost: str
    prices: Path | None
    patience: float | None
    read_timeout: float | None

    def request(self) -> TranslationRequest:
        """Return what is asked for.

        Raises:
            UsageError: For a component that does not exist, or a number below 1.
        """
        names = [name.strip() for entry in self.components for name in entry.split(",")]
        unknown = [name for name in names if name not in _COMPONENTS]
        if unknown:
            raise UsageError(
                f"--components {unknown[0]}: there is none of that name: choose "
                f"{', '.join(_COMPONENTS)}"
            )
        patience = RetryPolicy().seconds if self.patience is None else self.patience
        numbers = {
            "batch-size": self.batch_size,
            "concurrency": self.concurrency,
            "patience": patience,
        }
        require_read_timeout(self.read_timeout)
        for option, number in numbers.items():
            if not number >= 1:
                raise UsageError(f"--{option} {number:g}: at least 1")
        return TranslationRequest(
            suite=self.suite,
            languages=tuple(code.strip() for entry in self.to for code in entry.split(",")),
            model=self.model,
            out=self.out,
            memory=self.memory,
            assets=self.assets,
            components=tuple(name for name in _COMPONENTS if name in names),
            only_stale=self.only_stale,
            texts_at_once=self.batch_size,
            concurrency=self.concurrency,
            max_cost=self.max_cost,
            prices=self.prices,
            patience=patience,
            read_timeout=self.read_timeout,
        )


def translate_suite(asked: TranslateOptions, *, dry_run: bool, full: bool, as_json: bool) -> int:
    """Translate, or say what that would take; 1 where a text could not be translated."""
    request = asked.request()
    with long_step("reading the suite"):
        translating = Translating(request)
    if dry_run:
        with long_step("planning"):
            _print_plans(translating, as_json=as_json)
        return 0
    try:
        with _Bars() as bars:
            result = translating.run(bars.begin)
    except KeyboardInterrupt:
        print_error(f"stopped; what came is in {request.memory_path}: the same command goes on")
        return INTERRUPTED
    except RunHalted as error:
        raise RunHalted(f"{error} (memory {request.memory_path})") from error
    if as_json:
        print_json(_result_object(result))
    else:
        _print_result(result, full=full)
    return 1 if any(map(_is_wanting, result.languages)) else 0


class _Bars(ExitStack):
    """A bar of progress for each language."""

    def begin(self, language: str, texts: int) -> Callable[[int], None]:
        """Show the next one; return what advances it."""
        self.close()
        advance = self.enter_context(progress(language, texts))

        def advance_by(count: int) -> None:
            for _ in range(count):
                advance()

        return advance_by


def _is_wanting(result: LanguageResult) -> bool:
    """Whether something is left to do: texts without a sound translation, files left alone."""
    is_refused = any(
        found.severity == "refuse" for text in result.settled for found in text.anomalies
    )
    return bool(is_refused or result.untranslated or result.incomplete or result.left_alone)


def _print_plans(translating: Translating, *, as_json: bool) -> None:
    plans = translating.plans()
    if as_json:
        print_json(_plans_object(plans, translating.prices))
        return
    rows = [
        (
            each.language.code,
            f"{each.plan.segments:,}",
            f"{each.plan.texts:,}",
            f"{each.plan.known:,}",
            f"{each.usage.calls:,}",
            f"{each.usage.input_tokens or 0:,}",
            f"{each.usage.output_tokens or 0:,}",
            formatting.money(cost_of(each.usage, translating.prices.price_of)),
        )
        for each in plans
    ]
    headings = ("to", "places", "texts", "known", "requests", "tokens in", "out", "cost")
    print_table(
        TextTable(
            headings,
            tuple(rows),
            title=f"{translating.domain.domain} by {translating.model}",
            note="Nothing was sent. Tokens and cost are estimates: "
            + "; ".join(explained(each.language) for each in plans)
            + f". What has to be asked for again is not in them. Prices: {translating.prices.as_of}.",
            numbers=frozenset(headings[1:]),
        )
    )
    print()
    for each in plans:
        print_line(_compared(each, translating.domain.domain))


def _compared(plan: LanguagePlan, domain: str) -> str:
    """Return in words what is to be sent, beside what would be sent place by place."""
    texts = sum(len(request.items) for request in plan.plan.requests)
    return (
        f"{plan.language.code}: {plan.plan.segments:,} places, {plan.plan.texts:,} distinct texts, "
        f"{texts:,} of them to be sent in {formatting.counted(plan.usage.calls, 'request')}"
        f"{_by_the_source(domain)}"
    )


def _by_the_source(domain: str) -> str:
    source = estimates().source_sends.get(domain)
    return "" if source is None else f"; the source's pipeline sends {source:,} texts"


def _plans_object(plans: tuple[LanguagePlan, ...], prices: PriceTable) -> dict[str, object]:
    return {
        "languages": [
            {
                "language": each.language.code,
                "places": each.plan.segments,
                "texts": each.plan.texts,
                "known": each.plan.known,
                "requests": each.usage.calls,
                "tokens_in": each.usage.input_tokens,
                "tokens_out": each.usage.output_tokens,
                "cost": _dollars(each.usage, prices),
                "estimated_by": explained(each.language),
            }
            for each in plans
        ],
        "prices": prices.as_of,
    }


def _dollars(usage: Usage, prices: PriceTable) -> float | None:
    cost = cost_of(usage, prices.price_of)
    return None if cost is None else float(cost.paid)


def _print_result(result: TranslationResult, *, full: bool) -> None:
    headings = ("to", "texts", "known", "asked", "untranslated", "anomalies", "files")
    rows = tuple(
        (
            each.language.code,
            f"{len(each.settled):,}",
            f"{_count(each, 'known') + _count(each, 'itself'):,}",
            f"{_count(each, 'asked'):,}",
            f"{len(each.untranslated):,}",
            f"{sum(len(text.anomalies) for text in each.settled):,}",
            str(len(each.written)),
        )
        for each in result.languages
    )
    print_table(TextTable(headings, rows, result.domain, numbers=frozenset(headings[1:])))
    print()
    for each in result.languages:
        places = sum(len(text.unit.segments) for text in each.settled)
        print_line(
            f"{each.language.code}: {places:,} places, {len(each.settled):,} distinct texts, "
            f"{_count(each, 'asked'):,} of them had from {result.model}{_by_the_source(result.domain)}"
        )
    for each in result.languages:
        for line in _notes(each, full=full):
            print_line(line)
    _print_anomalies(result)
    _print_usage(result)


def _notes(result: LanguageResult, *, full: bool) -> Iterator[str]:
    """Yield what is to be said of a language: its files, and what is wrong with its texts."""
    if result.written:
        yield f"\n{result.folder}: {', '.join(result.written)}"
    for name in result.left_alone:
        yield (
            f"{result.folder / name}: not as it was written, or written by somebody else: left alone; "
            "take it over with `dragoman memory import`, or move it away"
        )
    for name in result.incomplete:
        yield f"{result.folder / name}: not written, texts of it could not be had: run it again"
    for note in result.notes:
        yield f"  {note}"
    counts = Counter(found.code for text in result.settled for found in text.anomalies)
    for code, count in counts.most_common():
        meaning = MEANINGS[code]
        yield f"  {code} ({count}, {meaning.severity}): {meaning.what}"
    wrong = sorted(
        (text for text in result.settled if text.anomalies or text.why),
        key=lambda text: text.target is not None,
    )
    for text in wrong if full else wrong[:_SHOWN]:
        yield f"  {_describe_unit(text)}"
    if len(wrong) > _SHOWN and not full:
        yield f"  and {len(wrong) - _SHOWN:,} more: --full names them"


def _describe_unit(text: Settled) -> str:
    """Return one line about a text that something is wrong with."""
    where = text.unit.segment.address
    more = f" and {len(text.unit.segments) - 1} more" if len(text.unit.segments) > 1 else ""
    found = "; ".join(f"{each.code}: {each.what}" for each in text.anomalies)
    state = f"untranslated, {text.why}" if text.target is None else "kept"
    line = f"{where}{more}: {state}{f' ({found})' if found else ''}"
    return formatting.shortened(" ".join(line.split()), _MOST)


def _print_anomalies(result: TranslationResult) -> None:
    if result.odd:
        print_line(
            f"\n{formatting.counted(len(result.odd), 'answer')} with something odd, asked for again where "
            f"it mattered; the first: {formatting.shortened(result.odd[0], _MOST)}"
        )


def _print_usage(result: TranslationResult) -> None:
    for usage in result.usage:
        print_line(
            f"\n{usage.model}: {formatting.calls(usage)} calls, {formatting.sent(usage)} tokens in, "
            f"{formatting.received(usage)} out, "
            f"{formatting.money(cost_of(usage, result.prices.price_of))} ({result.prices.as_of})"
        )


def _count(result: LanguageResult, state: str) -> int:
    return sum(text.state == state for text in result.settled)


def _result_object(result: TranslationResult) -> dict[str, object]:
    return {
        "domain": result.domain,
        "languages": [
            {
                "language": each.language.code,
                "folder": str(each.folder),
                "written": each.written,
                "left_alone": each.left_alone,
                "incomplete": each.incomplete,
                "notes": each.notes,
                "texts": len(each.settled),
                "states": dict(Counter(text.state for text in each.settled)),
                "untranslated": [
                    {"addresses": [part.address for part in text.unit.segments], "why": text.why}
                    for text in each.untranslated
                ],
                "anomalies": [found for text in each.settled for found in text.anomalies],
            }
            for each in result.languages
        ],
        "odd_replies": result.odd,
        "usage": [
            {"calls": usage.calls, "model": usage.model, "tokens_in": usage.input_tokens}
            | {"tokens_out": usage.output_tokens, "cost": _dollars(usage, result.prices)}
            for usage in result.usage
        ],
    }
