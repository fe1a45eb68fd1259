"""The documentation as a site: it builds without a warning, and every link in it leads somewhere."""

import runpy
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from bench.screens import Screen, pictures_of

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = ROOT / "zensical.toml"
PLACING = runpy.run_path(str(ROOT / "bench" / "site_pictures.py"))
TAKING = runpy.run_path(str(ROOT / "bench" / "screenshots.py"))


def pages_of(entry: object) -> list[str]:
    """Return the pages that a part of the navigation leads to."""
    if isinstance(entry, str):
        return [entry]
    if isinstance(entry, dict):
        return [page for part in entry.values() for page in pages_of(part)]
    assert isinstance(entry, list)
    return [page for part in entry for page in pages_of(part)]


class Page(HTMLParser):
    """Links of a page, resources that it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self.links += [values["href"]] if tag == "a" and "href" in values else []
        if tag != "a":
            self.loaded += [values[name] for name in ("href", "src") if name in values]


def broken(name: Path, page: Page, pages: dict[Path, Page]) -> list[str]:
    """Return the links of a page that lead nowhere."""
    found = []
    for link in page.links + page.loaded:
        path, anchor = urldefrag(link)
        if urlsplit(link).scheme:
            continue
        target = (name.parent / unquote(path)).resolve() if path else name
        known = pages.get(target)
        if not target.exists() or (anchor and known and unquote(anchor) not in known.anchors):
            found.append(f"{name.name}: {link}")
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    nav = pages_of(tomllib.loads(SETTINGS.read_text("utf-8"))["project"]["nav"])
    docs = ROOT / "docs"
    written = {
        path.relative_to(docs).as_posix()
        for path in docs.rglob("*.md")
        if "examples" not in path.relative_to(docs).parts
    }

    assert sorted(nav) == sorted(written)


@pytest.mark.slow
@pytest.mark.nightly
def test_the_site_builds_without_a_warning_and_every_link_in_it_leads_somewhere(
    tmp_path: Path,
) -> None:
    shutil.copy(SETTINGS, tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    build = [sys.executable, "-m", "zensical", "build", "--strict"]

    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    site = (tmp_path / "build" / "site").resolve()
    pages = {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html")}
    pages.pop(site / "404.html")
    assert len(pages) > 50
    assert [each for name, page in pages.items() for each in broken(name, page, pages)] == []
    outside = {
        each
        for page in pages.values()
        for each in page.loaded
        if urlsplit(each).scheme not in {"", "data"} or each.startswith("//")
    }
    assert outside == set()


def test_pictures_are_placed_where_a_page_has_a_note_and_were_taken(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "run_page.png").write_bytes(b"PNG")
    (tmp_path / "taken" / "run_page_dark.png").write_bytes(b"dark")
    page = tmp_path / "site" / "how_to" / "page.html"
    page.parent.mkdir(parents=True)
    note = '<!-- picture: {} | What it shows: "a run". -->'
    page.write_text(note.format("run_page") + note.format("other"), "utf-8")

    assert PLACING["place"](tmp_path / "taken", tmp_path / "site") == 1

    text = page.read_text("utf-8")
    assert 'src="../pictures/run_page.png" alt="What it shows: &quot;a run&quot;."' in text
    dark = 'media="(prefers-color-scheme: dark)" srcset="../pictures/run_page_dark.png"'
    assert f"<picture><source {dark}><img" in text
    assert note.format("other") in text
    assert (tmp_path / "site" / "pictures" / "run_page.png").read_bytes() == b"PNG"


def test_a_main_screen_is_taken_in_three_widths_and_two_themes() -> None:
    taken = pictures_of(Screen("1_run_list", "http://127.0.0.1/"))

    assert [(each.name, each.width, each.is_dark) for each in taken] == [
        ("1_run_list_1280_light", 1280, False),
        ("1_run_list_1280_dark", 1280, True),
        ("1_run_list_1920_light", 1920, False),
        ("1_run_list_1920_dark", 1920, True),
        ("1_run_list_412_light", 412, False),
        ("1_run_list_412_dark", 412, True),
    ]


def test_every_picture_of_a_page_is_one_that_is_taken() -> None:
    taken = {each.name for each in TAKING["pictures"]("/")}
    used = {
        found[1]
        for path in (ROOT / "docs").rglob("*.md")
        for found in PLACING["NOTE"].finditer(path.read_text("utf-8"))
    }
    assert used
    assert used <= taken
