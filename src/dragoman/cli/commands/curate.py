"""Declarations of `dragoman curate`: the commands that build datasets of web APIs."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import (
    Json,
    ReadTimeout,
    RetryFor,
    command,
    exit_with_status,
    group,
)

app = group("Datasets of web APIs: from documents to answers.")

DatasetFolder = Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of a dataset.")]


@command(app, "collect", "curate collect queries apis/ --licence CC0-1.0", is_long=True)
def collect(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE...", help="Files and folders to read.")
    ],
    country: Annotated[
        str,
        typer.Option(help="The country of APIs that do not state one: an English name, or Global."),
    ] = "",
    language: Annotated[
        str, typer.Option(help="The language of descriptions that do not state one, such as pt.")
    ] = "",
    licence: Annotated[
        str, typer.Option(help="The licence of documents that do not state one.")
    ] = "",
    source_name: Annotated[
        str, typer.Option(help="The name of the source [the file's or folder's name].")
    ] = "",
    fetch_refs: Annotated[
        bool,
        typer.Option("--fetch-refs", help="Fetch the references of documents from other hosts."),
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            metavar="N", help="Number of reading processes; a folder is read by one process."
        ),
    ] = 1,
    as_json: Json = False,
) -> None:
    """Collect API documents: OpenAPI files, and lists of APIs in Markdown and JSON.

    Near-duplicates are merged. The exit status is 1 if no API is found. If the same files are
    collected again, the new results replace the earlier ones.
    """
    from dragoman.cli.curate_documents import collect_sources
    from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
    from dragoman.curation.steps import CollectOptions

    facts = SourceFacts(source_name, country, language, licence)
    options = CollectOptions(facts, fetch_refs, workers)
    exit_with_status(collect_sources(dataset, sources, options, as_json=as_json))


@command(app, "run", "curate run plan.toml", is_long=True)
def run(
    plan: Annotated[
        Path | None, typer.Argument(metavar="PLAN", help="A TOML file; --example prints one.")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print a commented plan and stop.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run the unfinished steps of a plan: collect, verify, generate, answer, split, export.

    The same command resumes a plan that was stopped or killed. The exit status is 1 if
    something failed, or if more rounds of monitoring are required.
    """
    from dragoman.cli.curate_plan import print_example, run_plan

    if example or plan is None:
        print_example(asked=example)
        return
    exit_with_status(run_plan(plan, as_json=as_json))


@command(app, "list", "curate list queries --by country,category")
def list_command(
    dataset: DatasetFolder,
    by: Annotated[
        str,
        typer.Option(
            help="Properties to group by: category, country, language, licence, source, form"
            " or authentication; several by commas."
        ),
    ] = "country",
    top: Annotated[
        int,
        typer.Option("--limit", "--top", help="Number of rows, most documents first; 0 for all."),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Count the documents of a dataset and their operations, by property."""
    from dragoman.cli.curate_documents import list_documents

    names = [name.strip() for name in by.split(",") if name.strip()]
    list_documents(dataset, names, top, as_json=as_json)


@command(app, "status", "curate status queries --step collect")
def status(
    dataset: DatasetFolder,
    step: Annotated[
        str,
        typer.Option(help="Show only this step, with a reason for each item that it did not keep."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Show the funnel: items that each step saw, kept, dropped and merged, by source."""
    from dragoman.cli.curate_documents import show_status

    show_status(dataset, step=step, as_json=as_json)


Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="HOST/NAME=VARIABLE",
        help="A header or parameter NAME for calls to HOST, with its value from the "
        "environment variable VARIABLE; repeatable.",
    ),
]
Concurrency = Annotated[int, typer.Option(help="Number of items processed at the same time.")]
MaxCost = Annotated[
    str,
    typer.Option(help="Budget after which the command stops: '5 USD', '2M tokens' or '90 min'."),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        help="Your own price table, which overrides the one that ships (docs/how_to/costs.md)."
    ),
]


@command(app, "generate", "curate generate queries --model openai/gpt-4.1 --count 3", is_long=True)
def generate(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[
        str,
        typer.Option(
            help="PROVIDER/MODEL that writes queries; or template, which uses no model and "
            "sounds formal."
        ),
    ] = "template",
    count: Annotated[
        int, typer.Option(help="Number of queries that a model writes for each brief.")
    ] = 3,
    kinds: Annotated[
        str,
        typer.Option(
            help="Number of briefs by kind, such as single=50,nested=10 [every operation "
            "once, and 18.5 % more]."
        ),
    ] = "",
    offered: Annotated[
        int, typer.Option(help="Number of operations that are offered to an agent.")
    ] = 8,
    seed: Annotated[int, typer.Option(help="Seed of the random draws.")] = 0,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = "",
    prices: Prices = None,
    retry_for: RetryFor = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Generate queries over the valid operations: single, repeated, parallel and nested calls.

    The exit status is 1 if something failed; the same command tries it again.
    """
    from dragoman.cli.curate_steps import make_queries, numbers_by_name
    from dragoman.curation.api_datasets.query_briefs import BriefPlan
    from dragoman.curation.llm_clients import ModelOptions
    from dragoman.curation.steps import GenerateOptions

    plan = BriefPlan(numbers_by_name("--kinds", kinds), offered, seed)
    terms = ModelOptions(concurrency, max_cost, prices, retry_for, read_timeout)
    exit_with_status(
        make_queries(dataset, GenerateOptions(model, count, plan, terms), as_json=as_json)
    )


@command(app, "rate", "curate rate queries --model openai/gpt-4.1,openai/gpt-5", is_long=True)
def rate(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[str, typer.Option(help="Two or more PROVIDER/MODEL that rate, by commas.")],
    threshold: Annotated[
        float, typer.Option(help="The mean rating from 1 to 5 that a query needs from each model.")
    ] = 4.0,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = "",
    prices: Prices = None,
    retry_for: RetryFor = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Rate queries on five dimensions with several models, and keep those that all accept.

    An unreadable rating does not count: the query waits, and the same command asks again. The
    exit status is 1 in that case.
    """
    from dragoman.cli.curate_steps import rate_queries
    from dragoman.curation.llm_clients import ModelOptions
    from dragoman.curation.steps import RateOptions

    terms = ModelOptions(concurrency, max_cost, prices, retry_for, read_timeout)
    exit_with_status(rate_queries(dataset, RateOptions(model, threshold, terms), as_json=as_json))


@command(
    app,
    "answer",
    "curate answer queries --model openai/gpt-4.1,openai/gpt-5,anthropic/claude-sonnet-4-5",
    is_long=True,
)
def answer(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[
        str,
        typer.Option(
            help="PROVIDER/MODEL that answer, by commas; or template for queries from templates."
        ),
    ] = "template",
    calls: Annotated[
        str,
        typer.Option(
            help="The source of results of nested calls: live (the APIs), recorded (in the "
            "dataset) or none."
        ),
    ] = "none",
    allow_local: Annotated[
        bool,
        typer.Option(
            "--allow-local", help="With --calls live: also call loopback and private addresses."
        ),
    ] = False,
    pause: Annotated[
        float,
        typer.Option(
            help="With --calls live: minimum time between two requests to one host, in seconds."
        ),
    ] = 0.5,
    key: Keys = None,
    concurrency: Concurrency = 4,
    max_cost: MaxCost = "",
    prices: Prices = None,
    retry_for: RetryFor = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Answer queries with several models; the models rank each other's answers.

    The best answer of each query is taken, and the others are stored with it. The exit status is 1
    if something failed; the same command tries it again.
    """
    from dragoman.cli.curate_steps import answer_queries, variables_by_target
    from dragoman.curation.api_datasets.probing.api_client import CallOptions
    from dragoman.curation.llm_clients import ModelOptions
    from dragoman.curation.steps import AnswerOptions

    terms = ModelOptions(concurrency, max_cost, prices, retry_for, read_timeout)
    line = CallOptions(allow_local=allow_local, pause=pause, keys=variables_by_target(key or ()))
    exit_with_status(
        answer_queries(dataset, AnswerOptions(model, calls, terms, line), as_json=as_json)
    )


@command(app, "check", "curate check queries --model openai/gpt-5", is_long=True)
def check(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[
        str, typer.Option(help="PROVIDER/MODEL that check, by commas; or rules to use rules only.")
    ] = "rules",
    also: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file or folder made from the dataset (sheets, exports, rows) that is "
            "also searched for keys; repeatable."
        ),
    ] = None,
    concurrency: Concurrency = 8,
    max_cost: MaxCost = "",
    prices: Prices = None,
    retry_for: RetryFor = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Check answers by rules, then by models; an answer must pass all checks.

    The rules cover tools, parameters, types, and the kind of calls. The command first searches
    the dataset for keys, tokens and passwords. The exit status is 1 if it finds one, with a
    line that names its place.
    """
    from dragoman.cli.curate_steps import check_answers
    from dragoman.curation.llm_clients import ModelOptions
    from dragoman.curation.steps import CheckOptions

    terms = ModelOptions(concurrency, max_cost, prices, retry_for, read_timeout)
    options = CheckOptions(model, terms, tuple(also or ()))
    exit_with_status(check_answers(dataset, options, as_json=as_json))


@command(app, "split", "curate split queries --share 0.1", is_long=True)
def split(
    dataset: DatasetFolder,
    share: Annotated[
        float, typer.Option(help="The share of operations that occur only in the test split.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of the random draw.")] = 0,
    test: Annotated[
        list[str] | None,
        typer.Option(help="An operation (DOCUMENT/NAME) for the test split only; repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Split tasks with answers into train and test by operations.

    No test operation occurs in training.
    """
    from dragoman.cli.curate_steps import split_tasks
    from dragoman.curation.api_datasets.split import SplitPlan

    plan = SplitPlan(share, seed, tuple(test or ()))
    exit_with_status(split_tasks(dataset, plan, as_json=as_json))


@command(app, "card", "curate card queries > README.md")
def card(dataset: DatasetFolder, as_json: Json = False) -> None:
    """Print the dataset card: tasks by group, licences, and the funnel.

    The groups are split, kind, language, country, and category.
    """
    from dragoman.cli.curate_documents import show_card

    show_card(dataset, as_json=as_json)


@command(app, "export", "curate export queries --to hf --out queries_hf", is_long=True)
def export(
    dataset: DatasetFolder,
    to: Annotated[
        str,
        typer.Option(
            help="The format: suite (for `dragoman run itc:FOLDER`), itc (the source's "
            "conversations), openai (JSONL with tool calls), rows (openai with the "
            "origin of each row, for `dragoman finetune`), parquet or hf (a folder for "
            "Hugging Face datasets)."
        ),
    ],
    out: Annotated[Path, typer.Option(help="A new or empty folder.")],
    as_json: Json = False,
) -> None:
    """Export the tasks that have an answer, with the dataset card."""
    from dragoman.cli.curate_steps import export_files

    exit_with_status(export_files(dataset, to, out, as_json=as_json))


review = group("Human verification of queries: annotation sheets, labels and adjudication.")
app.add_typer(review, name="review")

Threshold = Annotated[
    float,
    typer.Option(help="The lowest score that counts as good."),
]
LeastAccuracy = Annotated[
    float,
    typer.Option(
        help="The accuracy on gold questions below which an annotator's labels do not count."
    ),
]
LeastGold = Annotated[
    int,
    typer.Option(
        help="The number of answered gold questions before an annotator's accuracy is judged."
    ),
]


@command(
    review,
    "export",
    "curate review export queries --out sheets --annotators ana,bo --gold gold.csv",
)
def review_export(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    out: Annotated[Path, typer.Option(help="A new folder, with one file for each annotator.")],
    annotators: Annotated[
        str,
        typer.Option(
            help="Annotators by commas, each with their languages unless they read all: ana:pt+es."
        ),
    ],
    gold: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of queries labelled by an expert: id or query, and five scores."
        ),
    ] = None,
    share: Annotated[
        float, typer.Option(help="The share of gold questions among the rows of a sheet.")
    ] = 0.1,
    per_query: Annotated[int, typer.Option(help="Number of annotators of each query.")] = 2,
    least_gold: LeastGold = 5,
    seed: Annotated[int, typer.Option(help="Seed of all random draws.")] = 0,
    as_json: Json = False,
) -> None:
    """Write annotation sheets for queries that lack annotators, with hidden gold questions.

    The exit status is 1 if some queries got no annotator because too few read their language.
    """
    from dragoman.cli.curate_review import export_sheets
    from dragoman.curation.api_datasets.annotation.assignment import (
        AssignmentPlan,
        parse_annotators,
    )

    plan = AssignmentPlan(parse_annotators(annotators), per_query, share, seed, least_gold)
    exit_with_status(export_sheets(dataset, out, gold, plan, as_json=as_json))


@command(review, "import", "curate review import queries ana.csv --annotator ana")
def review_import(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The returned sheets.")],
    annotator: Annotated[str, typer.Option(help="Who.")],
    threshold: Threshold = 4.0,
    least: LeastAccuracy = 0.85,
    least_gold: LeastGold = 5,
    as_json: Json = False,
) -> None:
    """Import an annotator's labels, all or none, and report the accuracy on gold questions.

    The accuracy is the accuracy so far. The exit status is 1 if a row is refused; then nothing
    is imported.
    """
    from dragoman.cli.curate_review import import_labels
    from dragoman.curation.api_datasets.annotation.assignment import ReviewThresholds

    terms = ReviewThresholds(threshold, least, least_gold)
    exit_with_status(import_labels(dataset, files, annotator, terms, as_json=as_json))


@command(review, "settle", "curate review settle queries --adjudicate differ")
def review_settle(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    adjudicate: Annotated[
        Path | None,
        typer.Option(
            help="A new folder, with a sheet of the queries on which annotators disagree."
        ),
    ] = None,
    threshold: Threshold = 4.0,
    least: LeastAccuracy = 0.85,
    least_gold: LeastGold = 5,
    as_json: Json = False,
) -> None:
    """Aggregate labels: select reliable annotators, report agreement, decide on queries.

    The exit status is 1 if queries wait for an adjudicator or for more annotators.
    """
    from dragoman.cli.curate_review import adjudicate_review
    from dragoman.curation.api_datasets.annotation.assignment import ReviewThresholds

    terms = ReviewThresholds(threshold, least, least_gold)
    exit_with_status(adjudicate_review(dataset, adjudicate, terms, as_json=as_json))


AllowLocal = Annotated[
    bool,
    typer.Option(
        "--allow-local",
        help="Also call loopback and private addresses, such as your own `dragoman world`.",
    ),
]
CallsAtOnce = Annotated[
    int, typer.Option("--concurrency", help="Number of operations called at the same time.")
]
Seconds = Annotated[
    float, typer.Option("--timeout", "--seconds", help="Timeout of one response, in seconds.")
]
MaxBytes = Annotated[
    int, typer.Option(help="Maximum size of one response in bytes, also decompressed.")
]
Pause = Annotated[
    float, typer.Option(help="Minimum time between two requests to one host, in seconds.")
]
Recorded = Annotated[
    Path | None,
    typer.Option(
        "--cassettes",
        help="Use recorded exchanges instead of the network: a dataset, or VCR files.",
    ),
]


@command(app, "verify", "curate verify queries --calls 2", is_long=True)
def verify(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    calls: Annotated[int, typer.Option(help="Maximum number of calls of one operation.")] = 2,
    cassettes: Recorded = None,
    concurrency: CallsAtOnce = 16,
    seconds: Seconds = 20.0,
    max_bytes: MaxBytes = 2_000_000,
    pause: Pause = 0.5,
    allow_local: AllowLocal = False,
    key: Keys = None,
    as_json: Json = False,
) -> None:
    """Call operations with values from their documents, and store the responses.

    The exit status is 1 if some responses are inconclusive; the same command calls these again.
    """
    from dragoman.cli.curate_steps import variables_by_target, verify_operations
    from dragoman.curation.api_datasets.probing.api_client import CallOptions

    keys = variables_by_target(key or ())
    terms = CallOptions(allow_local, concurrency, seconds, max_bytes, pause, cassettes, keys)
    exit_with_status(verify_operations(dataset, calls, terms, as_json=as_json))


@command(app, "monitor", "curate monitor queries", is_long=True)
def monitor(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    reports: Annotated[
        list[Path] | None,
        typer.Option("--import", help="Import rounds from JSON reports of link checks instead."),
    ] = None,
    concurrency: CallsAtOnce = 16,
    seconds: Seconds = 20.0,
    max_bytes: MaxBytes = 2_000_000,
    pause: Pause = 0.5,
    allow_local: AllowLocal = False,
    key: Keys = None,
    as_json: Json = False,
) -> None:
    """Check each operation once, as one round; run it every day or week.

    An interrupted round can be resumed for twelve hours.
    """
    from dragoman.cli.curate_steps import import_reports, monitor_operations, variables_by_target
    from dragoman.curation.api_datasets.probing.api_client import CallOptions

    if reports:
        exit_with_status(import_reports(dataset, reports, as_json=as_json))
    keys = variables_by_target(key or ())
    terms = CallOptions(allow_local, concurrency, seconds, max_bytes, pause, keys=keys)
    exit_with_status(monitor_operations(dataset, terms, as_json=as_json))


@command(app, "filter", "curate filter queries --good 0.9 --rounds 4", is_long=True)
def filter_command(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    good: Annotated[float, typer.Option(help="The least share of good rounds.")] = 0.8,
    rounds: Annotated[
        int, typer.Option(help="The number of rounds from which an operation is judged.")
    ] = 1,
    least_bad: Annotated[
        int, typer.Option(help="The number of bad rounds from which the share is judged.")
    ] = 2,
    last_bad: Annotated[
        int,
        typer.Option(help="Drop an operation after this many bad rounds in a row; 0 for never."),
    ] = 1,
    last_drift: Annotated[
        int,
        typer.Option(
            help="Drop an operation after this many responses in a row that differ from the "
            "verified one; 0 for never."
        ),
    ] = 1,
    offline: Annotated[
        float,
        typer.Option(
            help="Ignore a round in which more than this share of healthy hosts is unreachable."
        ),
    ] = 0.2,
    as_json: Json = False,
) -> None:
    """Drop operations that were unreliable over time, each with its reason.

    The command calls no API. The exit status is 1 if some operations were checked too rarely or
    never.
    """
    from dragoman.cli.curate_steps import filter_operations
    from dragoman.curation.api_datasets.probing.filter import FilterRules

    rules = FilterRules(rounds, good, least_bad, last_bad, last_drift, offline)
    exit_with_status(filter_operations(dataset, rules, as_json=as_json))
