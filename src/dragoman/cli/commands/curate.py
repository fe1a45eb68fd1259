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


@command(app, "collect", "curate collect mine apis/ --licence CC0-1.0", is_long=True)
def collect(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE...", help="Files, and folders with all in them.")
    ],
    country: Annotated[
        str, typer.Option(help="Of APIs that do not state one: an English name, or Global.")
    ] = "",
    language: Annotated[
        str, typer.Option(help="Of descriptions that do not state one, such as pt.")
    ] = "",
    licence: Annotated[str, typer.Option(help="Of documents that do not state one.")] = "",
    source_name: Annotated[
        str, typer.Option(help="What the source is called [the file's or folder's name].")
    ] = "",
    fetch_refs: Annotated[
        bool, typer.Option("--fetch-refs", help="Ask other hosts for what documents refer to.")
    ] = False,
    workers: Annotated[
        int, typer.Option(metavar="N", help="Processes that read, each folder in one.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Collect API documents: OpenAPI, lists of APIs in Markdown and JSON; twins become one.

    Exit 1 where no API was found. The same command again replaces what the same files gave before.
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
        bool, typer.Option("--example", help="Print a plan with remarks, and do nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Do the open steps of a plan: collect, verify, generate, answer, split, export.

    The same command resumes a plan that was stopped or killed. The exit status is 1 if
    something failed, or if more rounds of monitoring are required.
    """
    from dragoman.cli.curate_plan import print_example, run_plan

    if example or plan is None:
        print_example(asked=example)
        return
    exit_with_status(run_plan(plan, as_json=as_json))


@command(app, "list", "curate list mine --by country,category")
def list_command(
    dataset: DatasetFolder,
    by: Annotated[
        str,
        typer.Option(
            help="category, country, language, licence, source, form, authentication; by commas."
        ),
    ] = "country",
    top: Annotated[
        int, typer.Option("--limit", "--top", help="Rows, most documents first; 0 for all.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Count the documents that stand, and their operations, by what is known of them."""
    from dragoman.cli.curate_documents import list_documents

    names = [name.strip() for name in by.split(",") if name.strip()]
    list_documents(dataset, names, top, as_json=as_json)


@command(app, "status", "curate status mine --step collect")
def status(
    dataset: DatasetFolder,
    step: Annotated[
        str, typer.Option(help="Only this step, and why it did not keep what it did not keep.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show the funnel: what each step saw, kept, dropped and merged, by source."""
    from dragoman.cli.curate_documents import show_status

    show_status(dataset, step=step, as_json=as_json)


Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="HOST/NAME=VARIABLE",
        help="What calls to a host carry under a name, from a variable of the environment; "
        "repeatable.",
    ),
]
Concurrency = Annotated[int, typer.Option(help="Items under way at a time.")]
MaxCost = Annotated[
    str, typer.Option(help="Stop when so much is spent: '5 USD', '2M tokens', '90 min'.")
]
Prices = Annotated[
    Path | None, typer.Option(help="Your own prices, laid over those that ship (docs/costs.md).")
]


@command(app, "generate", "curate generate mine --model openai/gpt-4.1 --count 3", is_long=True)
def generate(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[
        str,
        typer.Option(help="PROVIDER/MODEL that writes; template needs none, and reads like forms."),
    ] = "template",
    count: Annotated[int, typer.Option(help="Queries that a model writes for each brief.")] = 3,
    kinds: Annotated[
        str,
        typer.Option(
            help="Briefs by kind, such as single=50,nested=10 [all operations once, and 18.5 % "
            "more]."
        ),
    ] = "",
    offered: Annotated[int, typer.Option(help="Operations that an agent chooses from.")] = 8,
    seed: Annotated[int, typer.Option(help="What is drawn from.")] = 0,
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


@command(app, "rate", "curate rate mine --model openai/gpt-4.1,openai/gpt-5", is_long=True)
def rate(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[str, typer.Option(help="PROVIDER/MODEL that rate, by commas; two or more.")],
    threshold: Annotated[
        float, typer.Option(help="The mean from 1 to 5 that a query needs with each.")
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
    "curate answer mine --model openai/gpt-4.1,openai/gpt-5,anthropic/claude-sonnet-4-5",
    is_long=True,
)
def answer(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[
        str,
        typer.Option(
            help="PROVIDER/MODEL that answer, by commas; template answers what templates wrote."
        ),
    ] = "template",
    calls: Annotated[
        str,
        typer.Option(
            help="What calls of nested queries return: live from the APIs, recorded in the "
            "dataset, none."
        ),
    ] = "none",
    allow_local: Annotated[
        bool,
        typer.Option("--allow-local", help="Live: call loopback and private addresses too."),
    ] = False,
    pause: Annotated[
        float, typer.Option(help="Live: seconds between two requests to one host.")
    ] = 0.5,
    key: Keys = None,
    concurrency: Concurrency = 4,
    max_cost: MaxCost = "",
    prices: Prices = None,
    retry_for: RetryFor = None,
    read_timeout: ReadTimeout = None,
    as_json: Json = False,
) -> None:
    """Have queries answered by several models, each answer ranked by the others, and take the best.

    The losing answers are kept beside it. Exit 1 where something failed; the same command tries
    that again.
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


@command(app, "check", "curate check mine --model openai/gpt-5", is_long=True)
def check(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    model: Annotated[
        str, typer.Option(help="PROVIDER/MODEL that check, by commas; rules for rules alone.")
    ] = "rules",
    also: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file or folder made of it (sheets, exports, rows) to look for keys in; "
            "repeatable."
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


@command(app, "split", "curate split mine --share 0.1", is_long=True)
def split(
    dataset: DatasetFolder,
    share: Annotated[float, typer.Option(help="Of operations that only tests have.")] = 0.1,
    seed: Annotated[int, typer.Option(help="What they are drawn from.")] = 0,
    test: Annotated[
        list[str] | None,
        typer.Option(help="An operation (DOCUMENT/NAME) that only tests have; repeatable."),
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


@command(app, "card", "curate card mine > README.md")
def card(dataset: DatasetFolder, as_json: Json = False) -> None:
    """Print the dataset card: tasks by group, licences, and the funnel.

    The groups are split, kind, language, country, and category.
    """
    from dragoman.cli.curate_documents import show_card

    show_card(dataset, as_json=as_json)


@command(app, "export", "curate export mine --to hf --out mine_hf", is_long=True)
def export(
    dataset: DatasetFolder,
    to: Annotated[
        str,
        typer.Option(
            help="suite (dragoman run itc:FOLDER), itc (the source's conversations), openai "
            "(JSONL with "
            "tool calls), rows (the same with what each came from, for `dragoman finetune`), "
            "parquet, hf (a folder that Hugging Face datasets opens)."
        ),
    ],
    out: Annotated[Path, typer.Option(help="A folder that is not there yet, or empty.")],
    as_json: Json = False,
) -> None:
    """Write the tasks that stand and have an answer, with the card, in a form that others read."""
    from dragoman.cli.curate_steps import export_files

    exit_with_status(export_files(dataset, to, out, as_json=as_json))


review = group("People verify queries: out to annotators, and back in.")
app.add_typer(review, name="review")

Threshold = Annotated[
    float,
    typer.Option(help="The score from which a dimension is good."),
]
LeastAccuracy = Annotated[
    float,
    typer.Option(
        help="Accuracy on gold questions that somebody needs, or no label of theirs counts."
    ),
]
LeastGold = Annotated[
    int, typer.Option(help="Gold questions that somebody must answer before they are judged.")
]


@command(
    review, "export", "curate review export mine --out sheets --annotators ana,bo --gold gold.csv"
)
def review_export(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    out: Annotated[Path, typer.Option(help="A new folder, that gets a file per annotator.")],
    annotators: Annotated[
        str,
        typer.Option(
            help="Names by commas, each with the languages it reads if not all: ana:pt+es."
        ),
    ],
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Queries that an expert has labelled: a CSV file with id or query, and five "
            "scores."
        ),
    ] = None,
    share: Annotated[
        float, typer.Option(help="Of gold questions among the rows of a sheet.")
    ] = 0.1,
    per_query: Annotated[int, typer.Option(help="Annotators of each query.")] = 2,
    least_gold: LeastGold = 5,
    seed: Annotated[int, typer.Option(help="What everything is drawn from.")] = 0,
    as_json: Json = False,
) -> None:
    """Give queries that lack annotators to people, with gold questions hidden among them.

    Exit 1 where some were given to nobody, because too few read their language.
    """
    from dragoman.cli.curate_review import export_sheets
    from dragoman.curation.api_datasets.annotation.assignment import (
        AssignmentPlan,
        parse_annotators,
    )

    plan = AssignmentPlan(parse_annotators(annotators), per_query, share, seed, least_gold)
    exit_with_status(export_sheets(dataset, out, gold, plan, as_json=as_json))


@command(review, "import", "curate review import mine ana.csv --annotator ana")
def review_import(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What came back.")],
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


@command(review, "settle", "curate review settle mine --adjudicate differ")
def review_settle(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    adjudicate: Annotated[
        Path | None,
        typer.Option(help="A new folder, that gets a sheet of the queries on which people differ."),
    ] = None,
    threshold: Threshold = 4.0,
    least: LeastAccuracy = 0.85,
    least_gold: LeastGold = 5,
    as_json: Json = False,
) -> None:
    """Decide what labels come to: whose count, how far they agree, which queries are kept.

    Exit 1 where queries wait for an adjudicator or for more people.
    """
    from dragoman.cli.curate_review import adjudicate_review
    from dragoman.curation.api_datasets.annotation.assignment import ReviewThresholds

    terms = ReviewThresholds(threshold, least, least_gold)
    exit_with_status(adjudicate_review(dataset, adjudicate, terms, as_json=as_json))


AllowLocal = Annotated[
    bool,
    typer.Option(
        "--allow-local",
        help="Call loopback and private addresses too, such as a world of one's own.",
    ),
]
CallsAtOnce = Annotated[int, typer.Option("--concurrency", help="Operations under way at a time.")]
Seconds = Annotated[
    float, typer.Option("--timeout", "--seconds", help="Seconds that one whole answer may take.")
]
MaxBytes = Annotated[int, typer.Option(help="Of one answer, also unpacked.")]
Pause = Annotated[float, typer.Option(help="Seconds between two requests to one host.")]
Recorded = Annotated[
    Path | None,
    typer.Option(
        "--cassettes",
        help="Ask recorded exchanges in the place of the network: a dataset, or files of VCR.",
    ),
]


@command(app, "verify", "curate verify mine --calls 2", is_long=True)
def verify(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    calls: Annotated[int, typer.Option(help="Calls of one operation, at most.")] = 2,
    cassettes: Recorded = None,
    concurrency: CallsAtOnce = 16,
    seconds: Seconds = 20.0,
    max_bytes: MaxBytes = 2_000_000,
    pause: Pause = 0.5,
    allow_local: AllowLocal = False,
    key: Keys = None,
    as_json: Json = False,
) -> None:
    """Call operations with values that their documents state, and store what they answer.

    Exit 1 where some gave no answer that decides; the same command calls these again.
    """
    from dragoman.cli.curate_steps import variables_by_target, verify_operations
    from dragoman.curation.api_datasets.probing.api_client import CallOptions

    keys = variables_by_target(key or ())
    terms = CallOptions(allow_local, concurrency, seconds, max_bytes, pause, cassettes, keys)
    exit_with_status(verify_operations(dataset, calls, terms, as_json=as_json))


@command(app, "monitor", "curate monitor mine", is_long=True)
def monitor(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    reports: Annotated[
        list[Path] | None,
        typer.Option(
            "--import", help="Take rounds from such reports of link checks (JSON) instead."
        ),
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

    A round that was interrupted is gone on with for twelve hours.
    """
    from dragoman.cli.curate_steps import import_reports, monitor_operations, variables_by_target
    from dragoman.curation.api_datasets.probing.api_client import CallOptions

    if reports:
        exit_with_status(import_reports(dataset, reports, as_json=as_json))
    keys = variables_by_target(key or ())
    terms = CallOptions(allow_local, concurrency, seconds, max_bytes, pause, keys=keys)
    exit_with_status(monitor_operations(dataset, terms, as_json=as_json))


@command(app, "filter", "curate filter mine --good 0.9 --rounds 4", is_long=True)
def filter_command(  # noqa: PLR0913, PLR0917 - the options of one command
    dataset: DatasetFolder,
    good: Annotated[float, typer.Option(help="The share of good rounds that is needed.")] = 0.8,
    rounds: Annotated[int, typer.Option(help="With fewer rounds nothing is decided.")] = 1,
    least_bad: Annotated[
        int, typer.Option(help="Bad rounds from which on the share is looked at.")
    ] = 2,
    last_bad: Annotated[
        int, typer.Option(help="So many last rounds, all bad, drop it; 0 for never.")
    ] = 1,
    last_drift: Annotated[
        int,
        typer.Option(
            help="So many last answers, all unlike the verified one, drop it; 0 for never."
        ),
    ] = 1,
    offline: Annotated[
        float,
        typer.Option(
            help="A round in which more than this share of healthy hosts vanish counts for nothing."
        ),
    ] = 0.2,
    as_json: Json = False,
) -> None:
    """Drop operations that were not good over time, each with its reason; calls nothing.

    Exit 1 where some were checked too seldom, or never.
    """
    from dragoman.cli.curate_steps import filter_operations
    from dragoman.curation.api_datasets.probing.filter import FilterRules

    rules = FilterRules(rounds, good, least_bad, last_bad, last_drift, offline)
    exit_with_status(filter_operations(dataset, rules, as_json=as_json))
