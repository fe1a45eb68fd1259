"""SEATauBench's results: its printed tables, its CSV files, and the figures computed from them."""

import csv
from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from tests.conformance.seatau.published_averages import published_average

from dragoman.analysis.correlation import Correlation, averages, correlation, correlation_matrix
from dragoman.analysis.published_tables import PrintedCell, RowFinding, compare_tables, validate
from dragoman.dataframes.published_table_files import read_table

Row = dict[str, str]

TOLERANCE = 0.001
TASKS = {"airline": 50, "retail": 114, "telecom": 114}
SCENARIOS = {
    9: "english",
    10: "l2_interaction",
    11: "l2_tools",
    12: "l2_tools",
    13: "l2_domain",
}
AGENTS = {"GPT-5-mini": "gpt-5-mini", "Qwen3-235B": "qwen-3-235b-it", "Kimi-K2.5": "kimi-k2.5"}
LANGUAGES = {
    "EN": "english",
    "VI": "vietnamese",
    "TH": "thai",
    "ID": "indonesian",
    "ZH": "chinese",
    "TL": "filipino",
    "BI": "tool_mix_2",
    "TRI": "tool_mix_3",
    "QUAD": "tool_mix_4",
    "MULTI": "tool_mix_5",
}
OTHERS = ("thai", "vietnamese", "indonesian", "chinese", "filipino")
OUTCOMES = {
    "pass_hat_1": "pass_hat_1",
    "pass_hat_2": "pass_hat_2",
    "pass_hat_3": "pass_hat_3",
    "rho_3": "rho_hat_3",
}


def lines_above(text: str, caption: str, heading: str) -> list[list[str]]:
    """Return the cells of the lines of a printed table, its heading first."""
    lines = text.splitlines()
    end = next(place for place, line in enumerate(lines) if line.startswith(caption))
    start = max(place for place in range(end) if lines[place].startswith(heading))
    return [line.split("\t") for line in lines[start:end] if line]


def results_table(text: str, number: int) -> list[PrintedCell]:
    """Return the rows of one of Tables 9 to 13; the domain stands only in its first row."""
    heading, _, *lines = lines_above(text, f"Table {number}:", "Domain\tModel")
    languages = [LANGUAGES[name.upper()] for name in heading[2:] if name]
    cells, domain = [], ""
    for first, agent, *figures in lines:
        domain = first.lower() or domain
        assert len(figures) == 4 * len(languages)
        for place, language in enumerate(languages):
            p1, p2, p3, rho = map(float, figures[4 * place : 4 * place + 4])
            cells.append(
                PrintedCell(
                    place=f"Table {number}, {domain}, {agent}, {language}",
                    suite=domain,
                    condition=SCENARIOS[number],
                    language=language,
                    agent=AGENTS[agent],
                    trials=3,
                    figures={1: p1, 2: p2, 3: p3},
                    rho={3: rho},
                    tasks=TASKS[domain],
                )
            )
    return cells


def error_rows(text: str, number: int) -> list[tuple[str, list[int]]]:
    """Return the variants and counts of one of Tables 14 to 16, the settings' first cells left."""
    _, _, *lines = lines_above(text, f"Table {number}:", "Setting\tVariant")
    return [
        ([cell for cell in cells if cell and not cell.isdecimal()][-1], counts)
        for cells in lines
        if (counts := [int(cell) for cell in cells if cell.isdecimal()])
    ]


@pytest.fixture(scope="module")
def paper(seeds_folder: Path) -> str:
    return (seeds_folder / "seataubench.txt").read_text("utf-8")


@pytest.fixture(scope="module")
def printed(paper: str) -> list[PrintedCell]:
    return [cell for number in SCENARIOS for cell in results_table(paper, number)]


@pytest.fixture(scope="module")
def folder(data_folder: Path) -> Path:
    return data_folder / "seataubench" / "analyses"


@pytest.fixture(scope="module")
def experiments(folder: Path) -> tuple[PrintedCell, ...]:
    return read_table(folder / "experiments.csv", None)


def rows(folder: Path, name: str) -> list[Row]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells_of(findings: Iterable[RowFinding], kind: str) -> list[tuple[str, ...]]:
    return [entry.cells for entry in findings if entry.kind == kind]


def number(text: str) -> float | None:
    return float(text) if text else None


def rounded(found: Correlation, digits: int = 3) -> float:
    assert found.r is not None
    return round(found.r, digits)


def test_two_rows_of_the_csv_cannot_be_and_three_printed_ones(
    experiments: tuple[PrintedCell, ...], printed: list[PrintedCell]
) -> None:
    retail = [
        ("retail, l2_domain, chinese, kimi-k2.5",),
        ("retail, l2_domain, vietnamese, kimi-k2.5",),
    ]
    impossible = cells_of(validate(printed, TOLERANCE), "infeasible")

    assert cells_of(validate(experiments, TOLERANCE), "infeasible") == retail
    assert cells_of(validate(experiments, TOLERANCE / 2), "infeasible") == retail
    assert sorted(impossible) == [*retail, ("telecom, english, english, kimi-k2.5",)]
    assert len(cells_of(validate(printed, TOLERANCE / 2), "infeasible")) == 6


def test_two_ungraded_tasks_explain_the_retail_rows_and_none_the_telecom_one(
    printed: list[PrintedCell],
) -> None:
    what = {
        entry.cells[0]: entry.what
        for entry in validate(printed, TOLERANCE)
        if entry.kind == "infeasible"
    }

    explained = "it could be if 2 of the tasks lacked grades"
    assert explained in what["retail, l2_domain, vietnamese, kimi-k2.5"]
    assert explained in what["retail, l2_domain, chinese, kimi-k2.5"]
    telecom = what["telecom, english, english, kimi-k2.5"]
    assert "lacked grades" not in telecom
    assert telecom.endswith("the nearest that can is pass^1 0.977, pass^2 0.953, pass^3 0.930")


def test_one_printed_row_repeats_another_and_no_row_of_the_csv_does(
    experiments: tuple[PrintedCell, ...], printed: list[PrintedCell]
) -> None:
    assert cells_of(validate(experiments, TOLERANCE), "duplicate") == []
    assert cells_of(validate(printed, TOLERANCE), "duplicate") == [
        (
            "telecom, l2_domain, chinese, qwen-3-235b-it",
            "telecom, l2_domain, filipino, qwen-3-235b-it",
        )
    ]


def test_the_csv_mixes_routes_and_one_scenario_lacks_an_agent(
    experiments: tuple[PrintedCell, ...],
) -> None:
    findings = validate(experiments, TOLERANCE)

    assert Counter(entry.kind for entry in findings) == {
        "infeasible": 2,
        "mixed routes": 3,
        "incomplete": 1,
    }
    routes = [entry.what.split(";")[0] for entry in findings if entry.kind == "mixed routes"]
    assert [text.split(": ")[:2] for text in routes] == [
        ["gpt-5-mini", "4 routes"],
        ["kimi-k2.5", "5 routes"],
        ["qwen-3-235b-it", "3 routes"],
    ]
    assert findings[-1].what.startswith("l2_tools: no agent kimi-k2.5")


def test_printed_tables_differ_from_the_csv_where_they_are_known_to(
    paper: str, experiments: tuple[PrintedCell, ...]
) -> None:
    found = {
        number: compare_tables(results_table(paper, number), experiments, TOLERANCE)
        for number in SCENARIOS
    }

    assert {number: (entry.cells, entry.figures) for number, entry in found.items()} == {
        9: (9, 36),
        10: (45, 180),
        11: (30, 120),
        12: (24, 96),
        13: (45, 180),
    }
    assert [entry.only_a for entry in found.values()] == [()] * 5
    assert {number: len(entry.differences) for number, entry in found.items()} == {
        9: 24,
        10: 2,
        11: 0,
        12: 0,
        13: 11,
    }
    assert len({entry.cell for entry in found[9].differences}) == 7
    assert [(entry.figure, entry.a, entry.b) for entry in found[10].differences] == [
        ("rho^3", 0.423, 0.421),
        ("rho^3", 0.396, 0.394),
    ]
    assert sorted({entry.cell for entry in found[13].differences}) == [
        "airline, l2_domain, filipino, kimi-k2.5",
        "telecom, l2_domain, chinese, qwen-3-235b-it",
        "telecom, l2_domain, indonesian, kimi-k2.5",
        "telecom, l2_domain, vietnamese, kimi-k2.5",
    ]


def test_rho_of_the_csv_is_the_ratio_of_rounded_figures(
    experiments: tuple[PrintedCell, ...], printed: list[PrintedCell]
) -> None:
    ratios = [(round(cell.figures[3] / cell.figures[1], 3), cell.rho[3]) for cell in experiments]

    assert len(ratios) == 153
    assert [pair for pair in ratios if pair[0] != pair[1]] == []
    assert cells_of(validate(printed, TOLERANCE), "rho") == []


def test_figure_5_is_the_mean_over_domains_of_tables_14_to_16(paper: str, folder: Path) -> None:
    columns = [
        f"{who}_{what}" for who in ("agent", "user") for what in ("critical", "minor", "correct")
    ]
    names = {"Chinese", "Filipino", "Indonesian", "Thai", "Vietnamese", "English"}
    entries = []
    for number, simulations in ((14, 150), (15, 342), (16, 342)):
        table = error_rows(paper, number)
        assert len(table) == 20
        assert {(sum(counts[:3]), sum(counts[3:])) for _, counts in table} == {
            (simulations, simulations)
        }
        seen: Counter[str] = Counter()
        for variant, counts in table:
            seen[variant] += 1
            settings = {1: "L2 Interaction", 2: "L2 Domain"}
            for setting in settings.values() if variant == "English" else [settings[seen[variant]]]:
                if variant in names:
                    entries += [
                        (f"{variant} {setting}", column, 100 * count / simulations)
                        for column, count in zip(columns, counts, strict=True)
                    ]
    means = averages(entries)

    published = rows(folder, "error_breakdown.csv")
    assert len(published) == 12
    for row, column in product(published, columns):
        mean = means.columns[column][means.rows.index(f"{row['language']} {row['setting']}")]
        assert mean is not None
        assert f"{mean:.2f}" == row[column]
    assert {count for counts in means.counts.values() for count in counts} == {3}


def test_figure_6_from_the_csv_shows_no_drop_with_more_languages(
    experiments: tuple[PrintedCell, ...], paper: str
) -> None:
    mixes = ("english", "tool_mix_2", "tool_mix_3", "tool_mix_4", "tool_mix_5")
    agents = {"gpt-5-mini", "qwen-3-235b-it"}

    def means(cells: Iterable[PrintedCell]) -> dict[str, tuple[float | None, ...]]:
        chosen = [cell for cell in cells if cell.language in mixes and cell.agent in agents]
        found = averages(
            entry
            for cell in chosen
            for entry in (
                ("pass@1", cell.language, cell.figures[1]),
                ("rho^3", cell.language, cell.rho[3]),
            )
        )
        assert {count for counts in found.counts.values() for count in counts} == {6}
        return {
            name: tuple(None if value is None else round(value, 4) for value in found.columns[name])
            for name in found.columns
        }

    assert means(experiments) == {
        "english": (0.5557, 0.5812),
        "tool_mix_2": (0.5575, 0.5878),
        "tool_mix_3": (0.5605, 0.5940),
        "tool_mix_4": (0.5542, 0.5980),
        "tool_mix_5": (0.5522, 0.5720),
    }
    assert means(results_table(paper, 9)) == {"english": (0.5828, 0.6272)}


def test_figure_7_explains_a_seventieth_of_the_variance(folder: Path) -> None:
    summary, table = (
        rows(folder, "experiment_language_summary.csv"),
        rows(folder, "experiments.csv"),
    )

    def together(chosen: list[Row]) -> Correlation:
        return correlation(
            [number(row["agent_language_correctness"]) for row in chosen],
            [number(row["pass_hat_3"]) for row in chosen],
        )

    found = together(summary)
    assert found.r_squared is not None
    assert (found.n, rounded(found), round(found.r_squared, 4)) == (153, 0.118, 0.0139)
    assert rounded(together(table)) == -0.027
    by_scenario = {
        name: [
            rounded(together([row for row in source if row["scenario"] == name]))
            for source in (table, summary)
        ]
        for name in ("l2_tools", "l2_interaction", "l2_domain")
    }
    assert by_scenario == {
        "l2_tools": [0.726, 0.725],
        "l2_interaction": [0.422, 0.168],
        "l2_domain": [0.185, 0.266],
    }
    assert together([row for row in table if row["scenario"] == "english"]) == Correlation(9, None)


def test_the_published_correlations_of_correctness_and_outcome_are_those_of_the_csv(
    folder: Path,
) -> None:
    table = rows(folder, "experiments.csv")
    published = rows(folder, "metric_correlations_by_language.csv")
    assert len(published) == 160
    for line in published:
        chosen = [
            row
            for row in table
            if line["scenario"] in {"", row["scenario"]} and line["domain"] in {"", row["domain"]}
        ]
        found = correlation(
            [number(row[line["language_metric"]]) for row in chosen],
            [number(row[OUTCOMES[line["outcome_metric"]]]) for row in chosen],
        )
        shown = "" if found.r is None else f"{found.r:.6f}"
        squared = "" if found.r_squared is None else f"{found.r_squared:.6f}"
        assert (str(found.n), shown, squared) == (line["n"], line["pearson_r"], line["r_squared"])


def matrices(cells: Iterable[PrintedCell]) -> tuple[dict[tuple[str, str], Correlation], ...]:
    """Return the correlations of languages in pass@1 and rho^3, over domains and models."""
    chosen = [cell for cell in cells if cell.language in {"english", *OTHERS}]
    of_first = averages(
        (f"{cell.suite} {cell.agent}", cell.language, cell.figures[1]) for cell in chosen
    )
    of_rho = averages((f"{cell.suite} {cell.agent}", cell.language, cell.rho[3]) for cell in chosen)
    order = ("english", *OTHERS)
    return tuple(
        correlation_matrix({name: found.columns[name] for name in order})
        for found in (of_first, of_rho)
    )


def test_figure_8_is_reproduced_from_the_csv_and_differs_by_the_printed_tables(
    experiments: tuple[PrintedCell, ...], printed: list[PrintedCell]
) -> None:
    of_first, of_rho = matrices(experiments)
    _, of_printed_rho = matrices(printed)

    assert {entry.n for entry in (*of_first.values(), *of_rho.values())} == {9}
    assert [rounded(of_first["english", name]) for name in OTHERS] == [
        0.922,
        0.898,
        0.958,
        0.904,
        0.908,
    ]
    assert [rounded(of_rho["english", name]) for name in OTHERS] == [
        0.494,
        0.601,
        0.720,
        0.881,
        0.635,
    ]
    assert rounded(of_rho["chinese", "filipino"]) == 0.849
    assert min(rounded(entry) for pair, entry in of_first.items() if "filipino" in pair) == 0.908
    assert [rounded(of_printed_rho["english", name]) for name in OTHERS] == [
        0.792,
        0.867,
        0.895,
        0.969,
        0.879,
    ]


def test_figure_9_falls_in_interaction_because_of_the_english_greeting(folder: Path) -> None:
    runs = [row for row in rows(folder, "contextual_run_language.csv") if row["role"] == "agent"]
    means = averages(
        (row["scenario"], row["language"], float(row["language_correctness"])) for row in runs
    )
    by_scenario = {
        scenario: [round(means.columns[name][place] or 0, 3) for name in OTHERS]
        for place, scenario in enumerate(means.rows)
    }
    summary = averages(
        (row["scenario"], row["language_scenario"], float(row["agent_language_correctness"]))
        for row in rows(folder, "experiment_language_summary.csv")
        if row["scenario"] == "l2_interaction"
    )

    assert by_scenario == {
        "l2_domain": [0.978, 0.978, 0.960, 0.948, 0.921],
        "l2_interaction": [0.797, 0.822, 0.818, 0.776, 0.751],
        "l2_tools": [0.998, 0.997, 0.998, 0.997, 0.997],
    }
    assert [round(summary.columns[name][0] or 0, 3) for name in OTHERS] == [
        0.949,
        0.958,
        0.951,
        0.927,
        0.883,
    ]


def test_the_turns_that_the_greeting_adds_are_all_off_target(folder: Path) -> None:
    runs = [
        row
        for row in rows(folder, "contextual_run_language.csv")
        if (row["scenario"], row["role"]) == ("l2_interaction", "agent")
    ]
    turns = positions(folder, "l2_interaction")
    in_runs = sum(int(row["turn_count"]) for row in runs)
    off_in_runs = sum(int(row["non_target_turn_count"]) for row in runs)
    without = sum(int(row["turn_count"]) for row in turns)
    off_without = sum(int(row["non_target_turn_count"]) for row in turns)
    later = [row for row in positions(folder, "l2_domain") if row["turn_idx"] != "0"]
    target = sum(int(row["turn_count"]) - int(row["non_target_turn_count"]) for row in later)

    assert (in_runs, without) == (90_960, 78_455)
    assert in_runs - without == off_in_runs - off_without == 12_505
    assert without - off_without == 74_261
    assert round(target / sum(int(row["turn_count"]) for row in later), 4) == 0.9438


def positions(folder: Path, scenario: str) -> list[Row]:
    return [
        row
        for row in rows(folder, "contextual_turn_position.csv")
        if (row["scenario"], row["role"]) == (scenario, "agent")
    ]


@pytest.mark.parametrize(
    ("scenario", "early", "all_turns", "peak"),
    [("l2_interaction", 0.651, -0.064, (0.124, 17)), ("l2_domain", 0.727, 0.472, (0.067, None))],
)
def test_figure_10_rises_only_over_the_turns_that_are_drawn(
    folder: Path, scenario: str, early: float, all_turns: float, peak: tuple[float, int | None]
) -> None:
    points = [
        (int(row["turn_idx"]), float(row["non_target_share"]))
        for row in positions(folder, scenario)
    ]
    drawn = [point for point in points if point[0] <= 24]
    highest = max(drawn, key=lambda point: point[1])

    assert rounded(correlation(*zip(*drawn, strict=True))) == early
    assert rounded(correlation(*zip(*points, strict=True))) == all_turns
    assert round(highest[1], 3) == peak[0]
    assert peak[1] in {None, highest[0]}


def domain_means(
    experiments: Iterable[PrintedCell],
) -> dict[tuple[str, str, str, str], float]:
    """Return the mean over scenarios by measure, model, language and domain."""
    entries = averages(
        entry
        for cell in experiments
        for entry in (
            (f"{cell.agent}/{cell.language}/{cell.suite}", "pass@1", cell.figures[1]),
            (f"{cell.agent}/{cell.language}/{cell.suite}", "rho^3", cell.rho[3]),
        )
    )
    found = {}
    for measure, values in entries.columns.items():
        for row, value in zip(entries.rows, values, strict=True):
            assert value is not None
            agent, language, suite = row.split("/")
            found[measure, agent, language, suite] = value
    return found


def test_the_published_means_and_intervals_are_drawn_from_the_csv(
    folder: Path, experiments: tuple[PrintedCell, ...]
) -> None:
    means = domain_means(experiments)
    for line in rows(folder, "perf_by_language.csv"):
        cell = (line["metric"], line["model"], line["language"])
        found = published_average([means[*cell, suite] for suite in TASKS])
        assert [
            f"{value:.6f}" for value in (found.value, found.interval.low, found.interval.high)
        ] == [
            line["estimate"],
            line["ci_low"],
            line["ci_high"],
        ]
    for line in rows(folder, "en_vs_l2_perf.csv"):
        others = [
            means[line["metric"], line["model"], language, line["domain_key"]]
            for language in sorted(OTHERS)
        ]
        found = published_average(others)
        assert [
            f"{value:.6f}" for value in (found.value, found.interval.low, found.interval.high)
        ] == [
            line["non_english_estimate"],
            line["non_english_ci_low"],
            line["non_english_ci_high"],
        ]
