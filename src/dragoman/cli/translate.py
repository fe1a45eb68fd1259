"""Implementation of `dragoman translate` and `dragoman list texts`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.cli.output import INTERRUPTED, print_error, print_json, print_line
from dragoman.cli.progress import show_progress
from dragoman.conditions.language.artifacts import ENGLISH
from dragoman.core.costs import cost_of
from dragoman.core.errors import UsageError
from dragoman.core.usage import Usage
from dragoman.curation.progress import StepStopped
from dragoman.curation.translation.qa_issues import MEANINGS
from dragoman.curation.translation.run import (
    LanguagePlan,
    LanguageResult,
    TranslationPlan,
    TranslationRequest,
    TranslationResult,
    plan_translation,
    run_translation,
)
from dragoman.curation.translation.segments import components_of
from dragoman.curation.translation.statistics import (
    DomainStatistics,
    InstanceCount,
    LanguageStatistics,
    count_texts,
)
from dragoman.curation.translation.translate import UnitResult
from dragoman.curation.translation.translators import explain_estimates, token_estimates
from dragoman.models.http.transport import RetryPolicy
from dragoman.models.prices import PriceTable
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table

_INSTANCES = ("files", "tasks", "docstrings", "policies", "messages")


def print_texts(suite: str | None) -> None:
    """Print the size of a suite's texts by file, and the state of its languages.

    Raises:
        UsageError: If no suite is named, or it does not exist or cannot be translated.
        DataError: If data are missing or damaged.
    """
    if suite is None:
        raise UsageError("list texts: name a suite: `dragoman list texts courier`")
    counted = count_texts(suite)
    found = counted.domain
    _print_files(found)
    _print_languages(found, counted.languages)
    _print_schemas(found)
    _print_records(found)


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
        "Equal texts of a context count as one text across files.",
    )


def _print_languages(found: DomainStatistics, languages: Sequence[LanguageStatistics]) -> None:
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
        ("language", *_INSTANCES, "translated", "not translated"),
        (english, *rows),
        f"Tasks by split: {splits}." if splits else "",
    )
    for each in languages:
        for why, count in each.left.items():
            print_line(f"{each.language}: {count:,} not translated: {why}")


def _print_schemas(found: DomainStatistics) -> None:
    rows = tuple(
        (each.file, *map(_number, (each.models, each.value_sets, each.values, each.distinct)))
        for each in found.schemas
    )
    note = f"Distinct values in all schemas: {found.distinct_values:,}." if len(rows) > 1 else ""
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


_SHOWN = 10
_MOST = 200


class TranslateOptions(NamedTuple):
    """The options of `dragoman translate`."""

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
    retry_for: float | None
    read_timeout: float | None

    def request(self) -> TranslationRequest:
        """Return the request that the options make.

        Raises:
            UsageError: For a component that does not exist, or a number below 1.
        """
        retry_for = RetryPolicy().seconds if self.retry_for is None else self.retry_for
        return TranslationRequest(
            suite=self.suite,
            languages=tuple(code.strip() for entry in self.to for code in entry.split(",")),
            model=self.model,
            out=self.out,
            memory=self.memory,
            assets=self.assets,
            components=components_of(self.components),
            only_stale=self.only_stale,
            texts_at_once=self.batch_size,
            concurrency=self.concurrency,
            max_cost=self.max_cost,
            prices=self.prices,
            retry_for=retry_for,
            read_timeout=self.read_timeout,
        )


def translate_suite(asked: TranslateOptions, *, dry_run: bool, full: bool, as_json: bool) -> int:
    """Translate, or print an estimate; return 1 if a text could not be translated."""
    request = asked.request()
    if dry_run:
        _print_plans(plan_translation(request), as_json=as_json)
        return 0
    try:
        result = run_translation(request, progress=show_progress)
    except StepStopped:
        print_error(
            f"stopped; results so far are in {request.memory_path}: the same command continues"
        )
        return INTERRUPTED
    if as_json:
        print_json(_result_object(result))
    else:
        _print_result(result, full=full)
    return 0 if all(each.is_done for each in result.languages) else 1


def _print_plans(plan: TranslationPlan, *, as_json: bool) -> None:
    plans = plan.languages
    if as_json:
        print_json(_plans_object(plans, plan.prices))
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
            formatting.money(cost_of(each.usage, plan.prices.price_of)),
        )
        for each in plans
    ]
    headings = ("to", "places", "texts", "known", "requests", "tokens in", "out", "cost")
    print_table(
        TextTable(
            headings,
            tuple(rows),
            title=f"{plan.domain} by {plan.model}",
            note="Nothing was sent. Tokens and cost are estimates: "
            + "; ".join(explain_estimates(each.language) for each in plans)
            + f". Retries are not included. Prices: {plan.prices.as_of}.",
            numbers=frozenset(headings[1:]),
        )
    )
    print()
    for each in plans:
        print_line(_describe_request_plan(each, plan.domain))


def _describe_request_plan(plan: LanguagePlan, domain: str) -> str:
    """Return the size of the requests in words, with the size of sending each text separately."""
    texts = sum(len(request.items) for request in plan.plan.requests)
    return (
        f"{plan.language.code}: {formatting.format_count(plan.plan.segments, 'place')}, "
        f"{formatting.format_count(plan.plan.texts, 'distinct text')}, "
        f"{texts:,} of them to be sent in {formatting.format_count(plan.usage.calls, 'request')}"
        f"{_by_the_source(domain)}"
    )


def _by_the_source(domain: str) -> str:
    source = token_estimates().source_sends.get(domain)
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
                "estimated_by": explain_estimates(each.language),
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
            f"{sum(len(text.issues) for text in each.settled):,}",
            str(len(each.written)),
        )
        for each in result.languages
    )
    print_table(TextTable(headings, rows, result.domain, numbers=frozenset(headings[1:])))
    print()
    for each in result.languages:
        places = sum(len(text.unit.segments) for text in each.settled)
        print_line(
            f"{each.language.code}: {formatting.format_count(places, 'place')}, "
            f"{formatting.format_count(len(each.settled), 'distinct text')}, "
            f"{_count(each, 'asked'):,} of them from "
            f"{result.model}{_by_the_source(result.domain)}"
        )
    for each in result.languages:
        for line in _notes(each, full=full):
            print_line(line)
    _print_issues(result)
    _print_usage(result)


def _notes(result: LanguageResult, *, full: bool) -> Iterator[str]:
    """Yield the notes on a language: its files, and the problems of its texts."""
    if result.written:
        yield f"\n{result.folder}: {', '.join(result.written)}"
    for name in result.left_alone:
        yield (
            f"{result.folder / name}: not replaced, because it was changed or written by another "
            "program; import it with `dragoman memory import`, or move it away"
        )
    for name in result.incomplete:
        yield (
            f"{result.folder / name}: not written, because some texts are untranslated: "
            "run the command again"
        )
    for note in result.notes:
        yield f"  {note}"
    counts = Counter(found.code for text in result.settled for found in text.issues)
    for code, count in counts.most_common():
        meaning = MEANINGS[code]
        yield f"  {code} ({count}, {meaning.severity}): {meaning.what}"
    wrong = sorted(
        (text for text in result.settled if text.issues or text.why),
        key=lambda text: text.target is not None,
    )
    for text in wrong if full else wrong[:_SHOWN]:
        yield f"  {_describe_unit(text)}"
    if len(wrong) > _SHOWN and not full:
        yield f"  and {len(wrong) - _SHOWN:,} more: --full"


def _describe_unit(text: UnitResult) -> str:
    """Return one line about a text with a problem."""
    where = text.unit.segment.address
    more = f" and {len(text.unit.segments) - 1} more" if len(text.unit.segments) > 1 else ""
    found = "; ".join(f"{each.code}: {each.what}" for each in text.issues)
    state = f"untranslated, {text.why}" if text.target is None else "kept"
    line = f"{where}{more}: {state}{f' ({found})' if found else ''}"
    return formatting.truncate_text(" ".join(line.split()), _MOST)


def _print_issues(result: TranslationResult) -> None:
    if result.odd:
        print_line(
            f"\n{formatting.format_count(len(result.odd), 'answer')} with anomalies, requested "
            f"again if necessary; the first: {formatting.truncate_text(result.odd[0], _MOST)}"
        )


def _print_usage(result: TranslationResult) -> None:
    for usage in result.usage:
        print_line(
            f"\n{usage.model}: {formatting.calls(usage)} calls, "
            f"{formatting.format_sent_usage(usage)} tokens "
            "in, "
            f"{formatting.format_received_usage(usage)} out, "
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
                "anomalies": [found for text in each.settled for found in text.issues],
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
