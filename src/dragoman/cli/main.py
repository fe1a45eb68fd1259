"""The command line: every command parses, calls one function and prints."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dragoman.core.errors import DragomanError, UsageError

app = typer.Typer(
    name="dragoman",
    help="How good is a tool-calling agent when its user does not type English?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(
    help="Benchmark data: pulled once, checked, kept in the cache.", no_args_is_help=True
)
app.add_typer(data_app, name="data")
cache_app = typer.Typer(help="Replies of models, remembered for all runs.", no_args_is_help=True)
app.add_typer(cache_app, name="cache")

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Judge = Annotated[str | None, typer.Option(help="none, rule, assume-met or PROVIDER/MODEL.")]
UserJudge = Annotated[
    str | None, typer.Option(help="Judge of simulated users, beside rules: none or PROVIDER/MODEL.")
]
RuleSet = Annotated[
    str | None, typer.Option("--rules", help="Rule set: see `dragoman list rules`.")
]
MaxCost = Annotated[
    str | None,
    typer.Option(help="End the run when so much is spent: '5 USD', '2M tokens', '90 min'."),
]
Prices = Annotated[
    Path | None,
    typer.Option(help="A price table of your own (TOML), laid over the one that ships."),
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        help="th, vi, ... (`dragoman list languages`), a TOML file, or th+vi to share tools; repeatable.",
    ),
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        help="english, interaction, tools, domain, or surfaces joined by +; repeatable.",
    ),
]
PartitionSeeds = Annotated[
    list[int] | None,
    typer.Option("--partition-seed", help="Deals tools to languages [42]; repeatable."),
]
Assets = Annotated[
    Path | None,
    typer.Option(help="A folder with DOMAIN/LANGUAGE [as pulled from seataubench]."),
]
Voices = Annotated[
    list[str] | None,
    typer.Option(
        "--voice",
        help="A line to speak over: text, studio, telephone, ... (`dragoman list voices`); repeatable.",
    ),
]
Recognizers = Annotated[
    list[str] | None,
    typer.Option("--asr", help="Who hears it [mixed]; several, by commas, hear the same audio."),
]
Speakers = Annotated[
    list[str] | None,
    typer.Option("--speaker", help="Who says it [all voices of the language], by commas."),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor remember replies of models.")
]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Run and ask what a run that somebody else made names."),
]


def main() -> None:
    """Run the command line; a user's mistake is one line, exit status 2 (usage) or 1 (the rest)."""
    from dragoman.cli.output import print_error, show_warnings

    show_warnings()
    try:
        app()
        sys.stdout.flush()
    except UsageError as error:
        print_error(str(error))
        sys.exit(2)
    except DragomanError as error:
        print_error(str(error))
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = error.filename or "the output"
        print_error(f"{where}: {error.strerror or error}")
        sys.stdout = None
        sys.exit(1)


@app.command("list", epilog="Example: dragoman list agents")
def list_names(
    what: Annotated[
        str,
        typer.Argument(
            help="suites, agents, users, judges, models, rules, languages, scenarios or voices."
        ),
    ] = "suites",
) -> None:
    """List what there is to choose from."""
    from dragoman.cli.listing import print_names

    print_names(what)


@app.command(epilog="Example: dragoman run tau2:retail --agent gold --trials 3 --judge assume-met")
def run(  # noqa: PLR0913, PLR0917 - the options of one command
    target: Annotated[
        str, typer.Argument(metavar="SUITE|GRID.toml", help="A suite, or a grid file.")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="A name of `dragoman list agents`, MODULE:ATTRIBUTE or PROVIDER/MODEL; repeatable."
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="offline, gold, human, MODULE:ATTRIBUTE or PROVIDER/MODEL.")
    ] = None,
    judge: Judge = None,
    user_judge: UserJudge = None,
    rules: RuleSet = None,
    trials: Annotated[
        int | None, typer.Option(help="Conversations per task and agent [1].")
    ] = None,
    tasks: Annotated[str | None, typer.Option(help="Task ids, separated by commas.")] = None,
    split: Annotated[
        str | None, typer.Option(help="A split of the suite's tasks, as SUITE:SPLIT would name it.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many tasks.")] = None,
    seed: Annotated[int | None, typer.Option(help="Changes every conversation's seed [0].")] = None,
    max_steps: Annotated[
        int | None, typer.Option(help="End a conversation after so many steps [200].")
    ] = None,
    max_errors: Annotated[
        int | None, typer.Option(help="End a conversation after so many tool errors [10].")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="End a conversation after so many seconds.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(help="Conversations at the same time [64].")
    ] = None,
    read_timeout: Annotated[
        float | None, typer.Option(help="Seconds an endpoint may be silent during a call [300].")
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(help="Seconds an endpoint may be down, or refuse a call as too much [1800]."),
    ] = None,
    language: Languages = None,
    scenario: Scenarios = None,
    partition_seed: PartitionSeeds = None,
    assets: Assets = None,
    voice: Voices = None,
    asr: Recognizers = None,
    speaker: Speakers = None,
    embeddings: Annotated[
        str | None,
        typer.Option(help="PROVIDER/MODEL that makes embeddings, for bfcl:memory_vector."),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(help="Address of a search engine like SerpAPI, for bfcl:web_search_*."),
    ] = None,
    max_cost: MaxCost = None,
    prices: Prices = None,
    no_cache: NoCache = False,
    out: Annotated[Path | None, typer.Option(help="The run's folder [runs/SUITE-TIME].")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the planned cells and stop.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a suite or a grid: play, score and store every conversation."""
    from dragoman.cli.running import run_grid

    options = {
        "agents": tuple(agent) if agent else None,
        "user": user,
        "judge": judge,
        "user_judge": user_judge,
        "rules": rules,
        "trials": trials,
        "tasks": None if tasks is None else tuple(name.strip() for name in tasks.split(",")),
        "split": split,
        "limit": limit,
        "seed": seed,
        "max_steps": max_steps,
        "max_errors": max_errors,
        "timeout": timeout,
        "concurrency": concurrency,
        "read_timeout": read_timeout,
        "patience": patience,
        "embeddings": embeddings,
        "search": search,
        "voices": tuple(voice) if voice else None,
        "asr": _listed(asr),
        "speakers": _listed(speaker),
        **_languages(language, scenario, partition_seed, assets),
        **_spending(max_cost, prices, no_cache=no_cache),
    }
    _exit(run_grid(target, options, out, dry_run=dry_run, as_json=as_json))


@app.command(epilog="Example: dragoman resume runs/tau2-retail-20260131-101500")
def resume(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    retry_invalid: Annotated[
        bool,
        typer.Option("--retry-invalid", help="Play again where the simulated user failed a check."),
    ] = False,
    max_cost: MaxCost = None,
    prices: Prices = None,
    no_cache: NoCache = False,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Go on with a run that was stopped, and try again what infrastructure broke."""
    from dragoman.cli.running import resume_run

    options = _spending(max_cost, prices, no_cache=no_cache)
    done = resume_run(folder, options, retry_invalid=retry_invalid, trust=trust, as_json=as_json)
    _exit(done)


@app.command(epilog="Example: dragoman score runs/mine --rules tau2-1.0.1 --judge rule")
def score(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    rules: RuleSet = None,
    judge: Judge = None,
    user_judge: UserJudge = None,
    anew: Annotated[bool, typer.Option("--anew", help="Score again what has a score.")] = False,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Score a run's stored conversations with other rules or another judge."""
    from dragoman.cli.running import score_run

    named = {"rules": rules, "judge": judge, "user_judge": user_judge}
    score_run(folder, named, anew=anew, trust=trust, as_json=as_json)


@app.command(epilog="Example: dragoman show runs/mine 64 --agent gold")
def show(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    task: Annotated[str, typer.Argument(help="Task id.")],
    agent: Annotated[str | None, typer.Option(help="Only this agent's conversation.")] = None,
    trial: Annotated[int, typer.Option(help="Which trial, from 0.")] = 0,
    condition: Annotated[
        str | None, typer.Option(help="Only this condition's, such as th:domain/text/none.")
    ] = None,
    rules: RuleSet = None,
    judge: Judge = None,
    full: Annotated[bool, typer.Option("--full", help="Do not shorten results.")] = False,
    as_json: Json = False,
) -> None:
    """Show a conversation in the terminal, with its calls and why it scored as it did."""
    from dragoman.cli.reading import Choice, show_conversation

    choice = Choice(task, agent, trial, rules, judge, condition)
    show_conversation(folder, choice, full=full, as_json=as_json)


@app.command(epilog="Example: dragoman report runs/mine --out report.html")
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[
        Path | None, typer.Option(help="The file to write [report.html in the run].")
    ] = None,
    rules: RuleSet = None,
    judge: Judge = None,
    prices: Prices = None,
) -> None:
    """Write a report: one HTML file that opens offline; of the newest scoring, if none is named."""
    from dragoman.cli.reading import write_report

    print(write_report(folders, out, rules, judge, prices))


@app.command(epilog="Example: dragoman compare runs/before runs/after --fail-under 0.02")
def compare(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN [RUN]", help="Two runs, A and B; or one.")
    ],
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; repeatable.")] = None,
    versus: Annotated[
        str | None, typer.Option(help="The agent in B to set against the one --agent in A.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Only cells that differ in this alone: agent, language, voice, ..."),
    ] = None,
    rules: RuleSet = None,
    judge: Judge = None,
    prices: Prices = None,
    fail_under: Annotated[
        float | None,
        typer.Option(help="Exit 1 where pass^1 of B is lower than that of A by more than this."),
    ] = None,
    fail_under_interval: Annotated[
        float | None,
        typer.Option(help="Exit 1 where B may be lower by more than this, by the 95 % interval."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Name every flipped task.")] = False,
    as_json: Json = False,
) -> None:
    """Compare two runs, or the cells of one, over the tasks that both finished."""
    from dragoman.cli.comparing import Asked, Gate, print_comparison

    asked = Asked(tuple(folders), tuple(agent or ()), versus, rules, judge, prices, by)
    gate = Gate(fail_under, fail_under_interval)
    _exit(print_comparison(asked, gate, full=full, as_json=as_json))


@app.command(epilog="Example: dragoman blame runs/spoken")
def blame(folder: RunFolder, trust: Trust = False, as_json: Json = False) -> None:
    """Name what lost conversations: the line, voice and recognizer, arguments, or the agent.

    Plays them again with the words that were meant, then over a clean line or with the plan's arguments.
    """
    from dragoman.cli.blaming import print_blame

    print_blame(folder, trust=trust, as_json=as_json)


@app.command(epilog="Example: dragoman validate experiments.csv --against printed.csv")
def validate(
    table: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A table of results: .csv, or .parquet.")
    ],
    against: Annotated[
        Path | None, typer.Option(help="Another table of the same cells, to compare with.")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Trials per task, where no column says so [the highest k printed]."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="How far a printed figure may lie from the true one.")
    ] = 0.001,
    as_json: Json = False,
) -> None:
    """Check printed results: figures that cannot be, copies, mixed routes, incomplete tables."""
    from dragoman.cli.validating import print_validation

    _exit(print_validation(table, against, trials, tolerance, as_json=as_json))


@app.command(epilog="Example: dragoman leaderboard runs/non_live runs/live --rules bfcl-v4")
def leaderboard(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs on bfcl suites.")],
    rules: RuleSet = None,
    judge: Judge = None,
    as_json: Json = False,
) -> None:
    """Make BFCL's aggregates of its categories; what is missing is named and never counted as 0."""
    from dragoman.cli.leading import print_leaderboard

    print_leaderboard(folders, rules, judge, as_json=as_json)


@app.command("import", epilog="Example: dragoman import results.json --out runs/theirs")
def import_results(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="A tau2-bench result file or its folder form; BFCL result files.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The run's folder.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="BFCL: the form of calls in a model's texts; told from the texts unless it is named.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a run of tau2-bench or BFCL results: to show, to compare, to score again."""
    from dragoman.cli.exchanging import import_file

    import_file(path, out, form, as_json=as_json)


@app.command(
    "export", epilog="Example: dragoman export runs/mine --to tau2 --out results.json --agent gold"
)
def export_results(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    to: Annotated[
        str,
        typer.Option(help="tau2 (a result file), parquet (all tables) or jsonl (conversations)."),
    ],
    out: Annotated[
        str,
        typer.Option(
            help="A folder for tables; for tau2 a file, or a folder: one there, or a name with / at its end."
        ),
    ],
    agent: Annotated[str | None, typer.Option(help="Only this agent's conversations.")] = None,
    rules: RuleSet = None,
    judge: Judge = None,
) -> None:
    """Write a run as a tau2-bench result file or as tables, by the newest verdicts if none are named."""
    from dragoman.cli.exchanging import export_run

    export_run(folder, to, out, rules=rules, judge=judge, agent=agent)


@app.command(epilog="Example: dragoman check tau2:retail")
def check(  # noqa: PLR0913, PLR0917 - the options of one command
    suite: Annotated[str, typer.Argument(help="A suite.")],
    rules: RuleSet = None,
    judge: Judge = None,
    language: Languages = None,
    scenario: Scenarios = None,
    partition_seed: PartitionSeeds = None,
    assets: Assets = None,
    as_json: Json = False,
) -> None:
    """Prove a suite: gold must pass; lists free, unpassable and undecidable tasks and the floor.

    With --language and --scenario: gold must pass and end in the English state there too, and every
    tool must take every label that it shows.
    """
    from dragoman.cli.checking import check_languages_command, check_suite_command

    named = _languages(language, scenario, partition_seed, assets)
    given = {name: value for name, value in named.items() if value is not None}
    if given:
        _exit(check_languages_command(suite, rules, judge, given, as_json=as_json))
    else:
        _exit(check_suite_command(suite, rules, judge, as_json=as_json))


@app.command(epilog="Example: dragoman lint seataubench --language th")
def lint(
    assets: Annotated[
        str,
        typer.Argument(
            metavar="ASSETS", help="A folder with DOMAIN/LANGUAGE, or seataubench as pulled."
        ),
    ],
    domain: Annotated[list[str] | None, typer.Option(help="Only this domain; repeatable.")] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language; repeatable.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Name every place.")] = False,
    as_json: Json = False,
) -> None:
    """Find defects of translated artifacts, by domain and language; exit 1 where there are any."""
    from dragoman.cli.linting import Wanted, print_lint

    wanted = Wanted(assets, tuple(domain or ()), tuple(language or ()))
    _exit(print_lint(wanted, full=full, as_json=as_json))


@data_app.command("pull", epilog="Example: dragoman data pull tau2")
def data_pull(
    source: Annotated[str, typer.Argument(help="tau2, seataubench or bfcl.")],
    from_dir: Annotated[
        Path | None,
        typer.Option("--from", help="Read a local copy, raw or .gz; of bfcl also its wheel."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Download from a mirror with the same layout.")
    ] = None,
) -> None:
    """Fetch a benchmark's pinned files, check them, and keep them in the cache."""
    from dragoman.cli.pulling import pull_source

    pull_source(source, from_dir, url)


@cache_app.command("info", epilog="Example: dragoman cache info")
def info(as_json: Json = False) -> None:
    """Say where remembered replies lie and how many there are."""
    from dragoman.cli.caching import cache_info

    cache_info(as_json=as_json)


@cache_app.command("clear", epilog="Example: dragoman cache clear")
def clear() -> None:
    """Remove all remembered replies."""
    from dragoman.cli.caching import cache_clear

    cache_clear()


@app.command(epilog="Example: dragoman demo --out demo")
def demo(
    out: Annotated[
        Path | None, typer.Option(help="The run's folder [a new one under runs/].")
    ] = None,
) -> None:
    """Play the bundled parcel service as text and spoken, find what lost calls, and write a report."""
    from dragoman.cli.running import demo_run

    demo_run(out)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from dragoman.core.version import VERSION

        print(f"dragoman {VERSION}")
        raise typer.Exit


def _listed(given: list[str] | None) -> tuple[str, ...] | None:
    """Return names given one by one or with commas between them."""
    names = (name.strip() for entry in given or () for name in entry.split(","))
    return tuple(names) if given else None


def _languages(
    languages: list[str] | None,
    scenarios: list[str] | None,
    seeds: list[int] | None,
    assets: Path | None,
) -> dict[str, object]:
    return {
        "languages": tuple(languages) if languages else None,
        "scenarios": tuple(scenarios) if scenarios else None,
        "partition_seeds": tuple(seeds) if seeds else None,
        "assets": None if assets is None else str(assets),
    }


def _spending(
    max_cost: str | None, prices: Path | None, *, no_cache: bool
) -> dict[str, str | bool | None]:
    return {
        "max_cost": max_cost,
        "prices": None if prices is None else str(prices),
        "cache": False if no_cache else None,
    }


def _exit(status: int) -> None:
    if status:
        raise typer.Exit(status)
