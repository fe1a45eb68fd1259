"""The page of a run states the losses between conditions, with links to conversations."""

import re
from html import unescape
from pathlib import Path

import pytest
from tests.viewer.conftest import View

import dragoman
from dragoman.viewer.open_runs import OpenedRun

LONG = 20.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run with simulated ASR errors."""
    out = tmp_path / "mine"
    dragoman.run(
        *("courier:easy",), agent="literal", voice=["text", "simulated:30"], limit=3, out=out
    )
    return out


@pytest.mark.slow
@pytest.mark.nightly
def test_what_is_lost_stands_on_the_page_with_links_to_what_failed(
    view: View, folder: Path, tmp_path: Path
) -> None:
    opened = OpenedRun("mine", folder, tmp_path / "views")
    with opened.listing(LONG):
        pass
    opened.close()  # the background work is finished by now
    viewer = view(folder)
    page = viewer.get("/run/mine").text
    words = unescape(re.sub(r"<[^>]+>", "", page))
    loss = dragoman.load(folder).losses.filter(figure="lost").row(0, named=True)
    assert f"\N{MINUS SIGN}{100 * loss['value']:.1f}" in words
    count = len(loss["behind"])
    (href,) = re.findall(rf'<a href="([^"]+)">{count} failures?</a>', page)
    listed = viewer.get(unescape(href)).text
    for key in loss["behind"]:
        assert f"/run/mine/conversation/{key}" in listed
    misrecognized = dragoman.load(folder).losses.filter(figure="failed with a value misheard")
    assert f"/run/mine/conversation/{misrecognized['behind'][0][0]}" in page
