"""Declarations of the commands that read results: `list`, `show`, `report`, `plots` and more."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import (
    Json,
    JudgedBy,
    RunFolder,
    ScoredBy,
    Trust,
    command,
    exit_with_status,
    given_options,
    group,
    option_of_run,
    run_options,
)

Prices = Annotated[Path | None, option_of_run("prices")]

Kept = Annotated[
    float | None,
    typer.Option(
        help="Which part of what its card states users must show, by persona_kept, to be a "
        "persona's result [0.5]."
    ),
]

SetsOfDefinitions = Annotated[
    str | None,
    typer.Option(
        help="With mm-tau-p2: by which definitions, several by commas: dragoman (the default), "
        "mm-tau-p2/paper, mm-tau-p2/code."
    ),
]

app = group()


def _given(**options: str | float | None) -> dict[str, str | float]:
    return {name: value for name, value in options.items() if value is not None}


@command(app, "list", "list agents")
def list_names(
    what: Annotated[
        str,
        typer.Argument(
            help="suites, agents, users, judges, models, measures, rules, languages, scenarios, "
            "voices, personas, axes, backends, styles, sections, options, or tasks or texts "
            "of a suite."
        ),
    ] = "suites",
    suite: Annotated[
        str | None,
        typer.Argument(help="Whose tasks, or texts to translate: `dragoman list tasks SUITE`."),
    ] = None,
) -> None:
    """List what there is to choose from."""
    from dragoman.cli.list_names import print_names, print_tasks

    if what == "tasks":
        print_tasks(suite)
    elif what == "texts":
        from dragoman.cli.translate import print_texts

        print_texts(suite)
    else:
        print_names(what)


@command(app, "show", "show runs/mine 64 --agent gold")
def show(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    task: Annotated[
        str | None, typer.Argument(help="Task id; without one, the answer of the run.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent's.")] = None,
    trial: Annotated[int, typer.Option(help="Which trial of the task, from 0.")] = 0,
    condition: Annotated[
        str | None, typer.Option(help="Only this condition's, such as th:domain/text/none.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="pass^1 by axis instead: agent, language, voice, ..., by commas."),
    ] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Every figure and cause, and whole results; of a large run, read all."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the answer of a run, or one conversation with its calls and the reasons for its score.

    Without a task: the answer, one table, and the most frequent causes of failures.
    """
    if by is not None:
        from dragoman.cli.show import print_groups

        print_groups(folder, by.split(","), rules, judge, as_json=as_json)
        return
    if task is None and not full and not as_json:
        from dragoman.cli.run_overview import print_run_overview

        if print_run_overview(folder, agent, condition, (rules, judge)) is not None:
            return
    if task is None:
        _show_failures(folder, (agent, condition), (rules, judge), full=full, as_json=as_json)
        return
    from dragoman.cli.show import ConversationChoice, show_conversation

    choice = ConversationChoice(task, agent, trial, rules, judge, condition)
    show_conversation(folder, choice, full=full, as_json=as_json)


def _show_failures(
    folder: Path,
    cell: tuple[str | None, str | None],
    scoring: tuple[str | None, str | None],
    *,
    full: bool,
    as_json: bool,
) -> None:
    """Print the answer of a run; what failed in full for one agent or condition, or with --full."""
    if as_json or full or any(cell):
        from dragoman.cli.failures import FailureFilter, print_failures

        print_failures(folder, FailureFilter(*cell, *scoring), as_json=as_json)
    if not as_json and not any(cell):
        from dragoman.cli.run_result import show_run

        show_run(folder, scoring, full=full)


@command(app, "report", "report runs/mine --style mm-tau-p2 --out tables.tex", is_long=True)
def report(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[
        Path | None, typer.Option(help="The file to write [report.html in the run].")
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            help="mm-tau-p2: begin with its Tables 2 to 5 and Figures 2 and 3, and what each axis "
            "does."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="html; with --style also md, latex, json, csv or parquet: the tables alone [as "
            "--out ends, else html].",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="With mm-tau-p2: what goals, robustness, efficiency and safety weigh."),
    ] = None,
    kept: Kept = None,
    definitions: SetsOfDefinitions = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    prices: Prices = None,
) -> None:
    """Write a report: one HTML file that opens offline; of the newest scoring, if none is named."""
    from dragoman.cli.show import ReportRequest, write_styled_report

    options = _given(weights=weights, kept=kept, definitions=definitions)
    asked = ReportRequest(tuple(folders), out, rules, judge, prices, style, form, options)
    print(write_styled_report(asked))


@command(app, "compare", "compare runs/before runs/after --fail-under 0.02", is_long=True)
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
    kept: Kept = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
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
    from dragoman.cli.compare import ComparisonRequest, RegressionGate, print_comparison

    asked = ComparisonRequest(
        tuple(folders), tuple(agent or ()), versus, rules, judge, prices, by, kept
    )
    gate = RegressionGate(fail_under, fail_under_interval)
    exit_with_status(print_comparison(asked, gate, full=full, as_json=as_json))


@command(app, "attribute", "attribute runs/spoken", is_long=True, old_name="blame")
@run_options("attribute")
def attribute_drops(
    folder: RunFolder, *, trust: Trust = False, as_json: Json = False, **given: object
) -> None:
    """Attribute each lost conversation to the channel, recognizer, arguments or agent.

    Plays them again with the words that were meant, then over a clean channel or with the plan's
    arguments.
    """
    from dragoman.cli.attribution import print_attribution

    print_attribution(folder, given_options(given), trust=trust, as_json=as_json)


@command(app, "leaderboard", "leaderboard runs/non_live runs/live --rules bfcl-v4")
def leaderboard(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    style: Annotated[
        str,
        typer.Option(
            help="bfcl: its aggregates; bfcl-audio: text, recognizers and agents that hear; "
            "mm-tau-p2: its twelve metrics and mm-tap; itc: calls of web APIs."
        ),
    ] = "bfcl",
    out: Annotated[
        list[Path] | None,
        typer.Option(
            help="But for bfcl: a file to write, .md, .tex, .csv or .json, of mm-tau-p2 also "
            ".parquet; repeatable."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--to", help="Print the tables as latex, markdown, csv or html."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="With mm-tau-p2: what goals, robustness, efficiency and safety weigh."),
    ] = None,
    averaging: Annotated[
        str | None,
        typer.Option(help="With itc: macro (the default), micro, or seal, as Seal-Tools counts."),
    ] = None,
    kept: Kept = None,
    definitions: SetsOfDefinitions = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    as_json: Json = False,
) -> None:
    """Make BFCL's aggregates of its categories; or set voices against text in runs on any suite.

    What is missing is named and never counted as 0.
    """
    from dragoman.cli.leaderboard import LeaderboardRequest, print_leaderboard

    options = _given(weights=weights, kept=kept, definitions=definitions, averaging=averaging)
    asked = LeaderboardRequest(tuple(folders), style, tuple(out or ()), rules, judge, options, form)
    print_leaderboard(asked, as_json=as_json)


@command(app, "table", "table runs/mine --to latex --by language", is_long=True)
def table(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--to", help="latex, markdown, csv or html [as --out ends, else a terminal's]."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="The axis that makes columns: language, voice, persona, agent, ..."),
    ] = None,
    powers: Annotated[
        str | None, typer.Option("--k", help="Which pass^k, several by commas: 1,3 [all].")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write: .tex, .md, .csv or .html.")
    ] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    as_json: Json = False,
) -> None:
    """Make a table for a paper: agents and conditions, pass^1 to pass^k with 95 % intervals and n.

    Runs on BFCL are shown by category, with its leaderboard's aggregates.
    """
    from dragoman.cli.leaderboard import TableRequest, parse_powers, print_paper_tables

    asked = TableRequest(tuple(folders), form, by, parse_powers(powers), out, rules, judge)
    print_paper_tables(asked, as_json=as_json)


@command(app, "usage", "usage runs/s1 runs/s4 said --by scenario")
def usage(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...",
            help="Runs; audio sets, datasets, translations and trainings, too.",
        ),
    ],
    by: Annotated[
        str, typer.Option(help="By axis: scenario, language, agent, voice, ..., by commas.")
    ] = "scenario",
    purposes: Annotated[
        list[str] | None,
        typer.Option(
            "--for", help="Only what was used for this: agent, user, judge, trainer; repeatable."
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="A file that gets the table, .md, .tex or .json; repeatable."),
    ] = None,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Say what runs used and cost by scenario, or by another axis; what is unknown stays unknown.

    What was used for audio sets, datasets, translations and trainings stands in a table of its own.
    """
    from dragoman.cli.usage import UsageRequest, print_usage

    asked = UsageRequest(folders, by.split(","), purposes or (), prices, out or ())
    print_usage(asked, as_json=as_json)


@command(
    app,
    "plots",
    "plots runs/mine --out paper/figures --format svg,pdf",
    is_long=True,
    old_name="figures",
)
def figures(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("figures"),
    form: Annotated[
        str,
        typer.Option(
            "--format", help="svg, png, pdf; several by commas. png and pdf need the extra figures."
        ),
    ] = "svg",
    preset: Annotated[
        str,
        typer.Option(help="page; slide: 16:9 with a large title; column: a paper's column."),
    ] = "page",
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Write the figures of a report as files, each with its data as CSV beside it."""
    from dragoman.cli.figure_files import FiguresRequest, write_figures

    asked = FiguresRequest(tuple(folders), out, tuple(form.split(",")), rules, judge, preset)
    for path in write_figures(asked):
        print(path)


@command(app, "view", "view runs/mine --port 8000")
def view(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN...]", help="Folders of runs, or a folder of them [runs]."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0: any.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Show runs in a browser, on this machine alone, until Ctrl-C; runs going on are followed."""
    from dragoman.cli.view import view_runs

    view_runs(folders or [], port, browser=browser)
