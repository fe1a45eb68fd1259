"""Figures as records: how values read, and how files are called."""

from dragoman.analysis.intervals import Interval
from dragoman.report.figure_spec import Datum, FigureSpec, file_name, with_unique_names


def drawing(*data: Datum) -> FigureSpec:
    return FigureSpec("name", "voice", "bars", "Title", "Caption", data)


def test_a_value_in_words_has_its_interval_and_what_it_rests_on() -> None:
    datum = Datum("th", 0.4512, Interval(0.4, 0.5), 50, "careful", note="2 unscored")

    assert drawing(datum).words(datum) == (
        "th, careful: 45.1\u00a0%, 95 % interval 40.0\u00a0% to 50.0\u00a0%, 50 tasks, 2 unscored"
    )


def test_a_value_that_is_not_known_is_none_and_never_zero() -> None:
    datum = Datum("th", None, note="no task is decided")

    assert drawing(datum).words(datum) == "th: none, no task is decided"


def test_names_of_files_hold_letters_digits_and_hyphens_alone() -> None:
    assert file_name("pass^1", "tau2:retail", "../Ä/é") == "pass-1-tau2-retail"
    assert len(file_name("x" * 500)) == 100


def test_no_two_figures_are_one_file() -> None:
    names = [
        each.name for each in with_unique_names([drawing(Datum("a", 1)), drawing(Datum("b", 1))])
    ]

    assert names == ["name", "name-2"]


def test_more_series_than_colours_are_several_figures_that_say_so() -> None:
    data = [Datum("en", 0.5, series=f"agent {number}") for number in range(10)]

    first, second = with_unique_names([drawing(*data)])

    assert (first.title, len(first.data)) == ("Title, part 1 of 2", 8)
    assert (second.title, len(second.data)) == ("Title, part 2 of 2", 2)


def test_what_a_figure_rests_on_is_counted() -> None:
    found = drawing(
        Datum("en", 0.5, Interval(0.4, 0.6), 8), Datum("th", 0.5, n=6), Datum("vi", None)
    ).rests

    assert (found.intervals, found.unknown, found.words) == (1, 1, "6 to 8 tasks")
