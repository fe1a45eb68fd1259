"""Figures as SVG: whole, safe, and in scale."""

from xml.etree import ElementTree as ET

import msgspec
import pytest

from dragoman.analysis.intervals import Interval
from dragoman.report.charts import CHARTS, render_svg, standalone_svg
from dragoman.report.figure_presets import PRESETS
from dragoman.report.figure_spec import Datum, FigureSpec, Kind
from dragoman.report.html_parts import figure_style, stylesheet

HOSTILE = "</text><script>alert(1)</script>\"'&\u202e\x1b[31m"
SVG = "{http://www.w3.org/2000/svg}"


def drawing(kind: Kind = "bars", **changes: object) -> FigureSpec:
    data = tuple(
        Datum(place, value, Interval(value - 0.1, value + 0.1), 8, series, place, value, cell=at)
        for at, place in enumerate(("en", "th", "vi"))
        for series, value in (("a", 0.5), ("b", 0.25))
    )
    made = FigureSpec("name", "languages", kind, "What it shows", "Of what.", data)
    return msgspec.structs.replace(made, **changes)


def root(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own


def marks(text: str) -> list[ET.Element]:
    return [node for node in root(text).iter() if "datum" in node.get("class", "").split()]


@pytest.mark.parametrize("kind", CHARTS)
def test_every_value_is_a_mark_that_says_what_it_is(kind: Kind) -> None:
    found = drawing(kind)

    reported = [node.findtext("title") for node in marks(render_svg(found))]

    assert sorted(map(str, reported)) == sorted(map(found.words, found.data))


@pytest.mark.parametrize("kind", CHARTS)
def test_a_file_of_its_own_is_whole_and_has_no_variable_left(kind: Kind) -> None:
    text = standalone_svg(drawing(kind), figure_style(), stylesheet())

    assert root(text).tag == f"{SVG}svg"
    assert "var(" not in text
    assert "#0072b2" in text


@pytest.mark.parametrize("kind", CHARTS)
def test_a_slide_is_16_to_9_and_shows_its_title(kind: Kind) -> None:
    found = drawing(kind)
    slide = root(standalone_svg(found, figure_style(), stylesheet(), PRESETS["slide"]))

    assert (slide.get("viewBox"), slide.get("width")) == ("0 0 1280 720", "1280")
    shown = " ".join(node.text or "" for node in slide.iter(f"{SVG}text"))
    assert found.title in shown


@pytest.mark.parametrize("kind", CHARTS)
def test_a_column_of_a_paper_has_its_width_in_inches_and_no_title(kind: Kind) -> None:
    found = drawing(kind)
    column = root(standalone_svg(found, figure_style(), stylesheet(), PRESETS["column"]))

    assert column.get("width") == "3.4in"
    assert found.title == column.findtext(f"{SVG}title")
    assert found.title not in [node.text for node in column.iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", CHARTS)
def test_names_from_data_are_text_and_nothing_else(kind: Kind) -> None:
    data = tuple(
        Datum(f"{at}{HOSTILE}", 0.5, None, 1, f"{at}{HOSTILE}", HOSTILE, 0.5, HOSTILE)
        for at in range(3)
    )
    found = drawing(kind, title=HOSTILE, caption=HOSTILE, data=data)

    text = standalone_svg(found, figure_style(), stylesheet())

    assert not [node for node in root(text).iter() if node.tag.endswith("script")]
    assert not set("\u202e\x1b") & set(text)


def test_bars_are_as_long_as_their_values() -> None:
    bars = [
        float(str(node.get("width")))
        for mark in marks(render_svg(drawing()))
        for node in mark.iter("rect")
    ]

    assert bars[0] == pytest.approx(2 * bars[1], abs=0.02)
    assert len(bars) == 6


def test_a_value_that_is_not_known_has_no_bar_and_says_why() -> None:
    found = drawing(data=(Datum("th", None, note="no task is decided"),))

    (mark,) = marks(render_svg(found))

    assert list(mark.iter("rect")) == []
    assert [node.text for node in mark.iter("text")] == ["no task is decided"]


def test_a_polygon_with_a_value_missing_stays_open() -> None:
    known = drawing("radar").data
    missing = msgspec.structs.replace(known[0], value=None)

    text = render_svg(drawing("radar", data=(missing, *known[1:])))

    curves = [node.tag for node in root(text).iter() if "curve" in node.get("class", "")]
    assert curves == ["polyline", "polygon"]


def test_differences_have_zero_in_the_middle() -> None:
    data = (Datum("th", -0.3), Datum("vi", 0.1))
    text = render_svg(drawing(data=data, unit="points"))

    ticks = [node.text for node in root(text).iter("text") if node.get("text-anchor") == "middle"]
    assert ticks[:5] == ["-40", "-20", "0", "+20", "+40"]


def test_the_turns_of_a_conversation_are_whole_numbers() -> None:
    data = tuple(Datum(str(turn), 0.1) for turn in range(1, 10))
    text = render_svg(drawing("lines", data=data, along="turn"))

    assert "2.5" not in [node.text for node in root(text).iter("text")]


def test_a_mark_of_one_cell_leads_there() -> None:
    assert [node.get("data-cell") for node in marks(render_svg(drawing()))][:3] == ["0", "0", "1"]
