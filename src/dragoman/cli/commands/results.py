"""Declarations of the commands that read results: `list`, `show`, `report`, `plots` and more."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

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
    name_completer,
    option_of_run,
    run_options,
)

Prices = Annotated[Path | None, option_of_run("prices")]

Kept = Annotated[
    float | None,
    typer.Option(
        help="The least share of a persona card's statements that a user must show (measure "
        "persona_kept) to count for that persona [0.5]."
    ),
]

SetsOfDefinitions = Annotated[
    str | None,
    typer.Option(
        help="With mm-tau-p2: the definitions of metrics, several by commas: dragoman (the "
        "default), mm-tau-p2/paper or mm-tau-p2/code."
    ),
]


def _only(what: str, kind: str) -> Any:  # noqa: ANN401 - what typer.Option returns
    text = f"Only conditions with this {what}; repeatable, or several by commas."
    return typer.Option(help=text, autocompletion=name_completer(kind))


OfLanguage = Annotated[list[str] | None, _only("language", "languages")]
OfScenario = Annotated[list[str] | None, _only("scenario", "scenarios")]
OfVoice = Annotated[list[str] | None, _only("voice", "voices")]
OfPersona = Annotated[list[str] | None, _only("persona", "personas")]

app = group()


def _given(**options: str | float | None) -> dict[str, str | float]:
    return {name: value for name, value in options.items() if value is not None}


def _split(values: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names in lists that are separated by commas."""
    parts = (part.strip() for value in values or () for part in value.split(","))
    return tuple(filter(None, parts))


@command(app, "list", "list agents")
def list_names(
    what: Annotated[
        str,
        typer.Argument(
            help="The kind of names: suites, agents, users, judges, models, measures, rules,"
            " languages, scenarios, voices, personas, axes, backends, styles, sections "
            "or options; or tasks or texts of a suite."
        ),
    ] = "suites",
    suite: Annotated[
        str | None,
        typer.Argument(
            help="The suite of the tasks, or of the texts to translate: `dragoman list tasks "
            "SUITE`."
        ),
    ] = None,
) -> None:
    """List names: suites, agents, models, measures, languages, voices and more."""
    from dragoman.cli.list_names import print_names, print_tasks

    if what == "tasks":
        print_tasks(suite)
    elif what == "texts":
        from dragoman.cli.translate import print_texts

        print_texts(suite)
    else:
        print_names(what)


@command(app, "show", "show runs/mine 64 --agent gold", is_long=True)
def show(  # noqa: PLR0913, PLR0917 - the options of one command
    folder: RunFolder,
    task: Annotated[
        str | None, typer.Argument(help="A task id; without it, the answer of the run is shown.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only conversations of this agent.")] = None,
    trial: Annotated[int, typer.Option(help="The number of the trial, from 0.")] = 0,
    condition: Annotated[
        str | None,
        typer.Option(help="Only conversations of this condition, such as th:domain/text/none."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Show pass^1 by axis instead: agent, language, voice, ...; several by commas."
        ),
    ] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Show every figure and cause, and whole results; of a large run, read all "
            "conversations.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the answer of a run, or one conversation with its calls and the reasons for its score.

    Without a task, it shows the answer, one table, and the most frequent causes of failures.
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
    """Print the answer of a run; with --full or a filter, print all failures by cause."""
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
        Path | None, typer.Option(help="The output file [report.html in the run's folder].")
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            help="mm-tau-p2: begin with the Tables 2 to 5 and Figures 2 and 3 of the paper, "
            "and the effect of each axis."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The format: html; with --style also md, latex, json, csv or parquet for "
            "the tables alone [by the ending of --out, or html].",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="With mm-tau-p2: the weights of goals, robustness, efficiency and safety."
        ),
    ] = None,
    kept: Kept = None,
    definitions: SetsOfDefinitions = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    prices: Prices = None,
) -> None:
    """Write a report: one HTML file that opens offline."""
    from dragoman.cli.show import ReportRequest, write_styled_report

    options = _given(weights=weights, kept=kept, definitions=definitions)
    asked = ReportRequest(tuple(folders), out, rules, judge, prices, style, form, options)
    print(write_styled_report(asked))


@command(app, "compare", "compare runs/before runs/after --fail-under 0.02", is_long=True)
def compare(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN [RUN]", help="Two runs, A and B; or one, to compare its cells."
        ),
    ],
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; repeatable.")] = None,
    versus: Annotated[
        str | None, typer.Option(help="The agent in B that is compared with the one --agent in A.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Only pairs of cells that differ in this axis alone: agent, language, voice, ..."
        ),
    ] = None,
    kept: Kept = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    prices: Prices = None,
    fail_under: Annotated[
        float | None,
        typer.Option(
            metavar="X", help="Exit 1 if pass^1 of B is lower than that of A by more than X."
        ),
    ] = None,
    fail_under_interval: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Exit 1 if pass^1 of B could be lower by more than X, by the 95 % interval.",
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print every figure.")] = False,
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
    """Attribute each failed conversation to the channel, recognizer, arguments or agent.

    The command replays failed conversations with the words that were meant, then over a clean
    channel or with the plan's arguments.
    """
    from dragoman.cli.attribution import print_attribution

    exit_with_status(print_attribution(folder, given_options(given), trust=trust, as_json=as_json))


@command(app, "leaderboard", "leaderboard runs/non_live runs/live --rules bfcl-v4", is_long=True)
def leaderboard(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    style: Annotated[
        str,
        typer.Option(
            help="bfcl: aggregates of its categories; bfcl-audio: text, recognizers and "
            "audio-native agents; mm-tau-p2: its twelve metrics and mm-tap; itc: calls "
            "of web APIs."
        ),
    ] = "bfcl",
    out: Annotated[
        list[Path] | None,
        typer.Option(
            help="An output file, .md, .tex, .csv or .json, with mm-tau-p2 also .parquet; "
            "repeatable."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--to", help="Print the tables as latex, markdown, csv or html."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="With mm-tau-p2: the weights of goals, robustness, efficiency and safety."
        ),
    ] = None,
    averaging: Annotated[
        str | None,
        typer.Option(
            help="With itc: macro (the default), micro, or seal (the averaging of Seal-Tools)."
        ),
    ] = None,
    kept: Kept = None,
    definitions: SetsOfDefinitions = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    as_json: Json = False,
) -> None:
    """Make a leaderboard in the layout of a benchmark: BFCL, BFCL audio, MM-tau-p2 or itc.

    Missing values are named and never counted as 0.
    """
    from dragoman.cli.leaderboard import LeaderboardRequest, print_leaderboard

    options = _given(weights=weights, kept=kept, definitions=definitions, averaging=averaging)
    asked = LeaderboardRequest(tuple(folders), style, tuple(out or ()), rules, judge, options, form)
    print_leaderboard(asked, as_json=as_json)


@command(
    app,
    "table",
    "table runs/mine --to latex --rows agent",
    "table runs/mine --agent gpt --language en,vi --by language --by voice",
    is_long=True,
)
def table(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The format: latex, markdown, csv or html [by the ending of --out, or a "
            "terminal table].",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            help="A row is an agent (the conditions are columns), a condition (the agents are "
            "columns) or a cell, an agent under a condition [cell]."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="An axis of the columns: language, voice, persona, agent, run, ...; repeatable, "
            "or several by commas."
        ),
    ] = None,
    powers: Annotated[
        str | None, typer.Option("--k", help="The k of pass^k, several by commas: 1,3 [all].")
    ] = None,
    bold: Annotated[
        bool,
        typer.Option("--bold", help="Bold: the highest figure of the agents under a condition."),
    ] = False,
    agent: Annotated[list[str] | None, typer.Option(help="Only this agent; repeatable.")] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(help="Only this condition, such as th:domain/text/none; repeatable."),
    ] = None,
    language: OfLanguage = None,
    scenario: OfScenario = None,
    voice: OfVoice = None,
    persona: OfPersona = None,
    out: Annotated[
        Path | None, typer.Option(help="The output file: .tex, .md, .csv or .html.")
    ] = None,
    rules: ScoredBy = None,
    judge: JudgedBy = None,
    as_json: Json = False,
) -> None:
    """Make a table for a paper: agents and conditions, pass^1 to pass^k with 95 % intervals and n.

    Runs on BFCL are shown by category, with its leaderboard's aggregates.
    """
    from dragoman.cli.leaderboard import (
        TableRequest,
        parse_powers,
        parse_rows,
        print_paper_tables,
    )
    from dragoman.dataframes.paper_tables import CellChoice
    from dragoman.report.pass_tables import TableLayout

    axes = {"language": language, "scenario": scenario, "voice": voice, "persona": persona}
    asked = TableRequest(
        tuple(folders),
        form,
        TableLayout(_split(by), parse_rows(rows), parse_powers(powers), bold),
        CellChoice(
            tuple(agent or ()),
            tuple(condition or ()),
            {axis: _split(values) for axis, values in axes.items() if values},
        ),
        out,
        rules,
        judge,
    )
    print_paper_tables(asked, as_json=as_json)


@command(app, "usage", "usage runs/s1 runs/s4 said --by scenario", is_long=True)
def usage(  # noqa: PLR0913, PLR0917 - the options of one command
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...",
            help="Runs, audio sets, datasets, translations and trainings.",
        ),
    ],
    by: Annotated[
        str,
        typer.Option(
            help="Axes to group by: scenario, language, agent, voice, ...; several by commas."
        ),
    ] = "scenario",
    purposes: Annotated[
        list[str] | None,
        typer.Option(
            "--for", help="Only usage for this purpose: agent, user, judge or trainer; repeatable."
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="An output file for the table, .md, .tex or .json; repeatable."),
    ] = None,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Show the usage and cost of runs by scenario or another axis.

    A second table has the usage of audio sets, datasets, translations and trainings. Unknown costs
    are shown as unknown, not as 0.
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
    out: Annotated[Path, typer.Option(help="The output folder.")] = Path("figures"),
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="The format: svg, png or pdf; several by commas. png and pdf need the extra"
            " `figures`.",
        ),
    ] = "svg",
    preset: Annotated[
        str,
        typer.Option(
            help="The layout: page, slide (16:9 with a large title) or column (a paper's column)."
        ),
    ] = "page",
    rules: ScoredBy = None,
    judge: JudgedBy = None,
) -> None:
    """Write the figures of a report as files, with the data of each figure as a CSV file."""
    from dragoman.cli.figure_files import FiguresRequest, write_figures

    asked = FiguresRequest(tuple(folders), out, tuple(form.split(",")), rules, judge, preset)
    for path in write_figures(asked):
        print(path)


@command(app, "view", "view runs/mine --port 8000")
def view(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN...]", help="Folders of runs, or a folder that holds runs [runs]."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Show runs in a browser on this machine, until Ctrl-C. Ongoing runs are updated."""
    from dragoman.cli.view import view_runs

    view_runs(folders or [], port, browser=browser)
