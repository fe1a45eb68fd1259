"""A folder holds one kind of thing: no command writes another kind into it."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]

LIBRARY = Path(__file__).parents[2] / "docs" / "examples" / "library.yaml"
CONTENTS = {
    "a run": ("run.sqlite",),
    "a dataset": ("dataset.sqlite",),
    "an exported dataset": (".dragoman-export.json",),
    "an audio set": ("settings.json", "texts.jsonl"),
    "translations": ("translation_memory.sqlite",),
    "a training": ("training.json",),
}
RUN = ("run", "sample:shop", "--agent", "gold", "--limit", "1", "--out", "mine")
COLLECT = ("curate", "collect", "mine", LIBRARY, "--country", "Portugal")
SPEAK = ("speak", "sample:shop", "--texts-only", "--out", "mine")
TRANSLATE = (
    *("translate", "courier", "--language", "th", "--model", "glossary", "--out", "mine"),
    "--dry-run",
)


def fill(folder: Path, content: str) -> None:
    """Put the files of one kind of thing into a folder."""
    folder.mkdir()
    for name in CONTENTS[content]:
        (folder / name).write_text("content", "utf-8")


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        *((RUN, content) for content in CONTENTS if content != "a run"),
        *((COLLECT, content) for content in CONTENTS if content != "a dataset"),
        (("demo", "--out", "mine"), "a dataset"),
        (SPEAK, "a run"),
        (TRANSLATE, "an audio set"),
        (("plots", "mine", "--out", "mine"), "a dataset"),
        (("export", "no-run", "--to", "csv", "--out", "mine"), "translations"),
        (("world", "documents", "--out", "mine"), "a dataset"),
    ],
)
def test_a_folder_with_another_kind_of_thing_is_refused_and_stays_as_it_is(
    dragoman: Cli, folder: Path, arguments: tuple[object, ...], content: str
) -> None:
    """A person who names one folder twice learns it before anything is written."""
    fill(folder / "mine", content)
    done = dragoman(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"dragoman: mine holds {content}: name another folder\n"
    assert sorted(each.name for each in (folder / "mine").iterdir()) == sorted(CONTENTS[content])


def test_a_run_is_written_beside_files_of_ones_own(dragoman: Cli, folder: Path) -> None:
    """A folder with notes, settings and code holds none of our things."""
    (folder / "mine").mkdir()
    (folder / "mine" / "settings.json").write_text("{}", "utf-8")
    assert dragoman(*RUN).returncode == 0
    assert (folder / "mine" / "run.sqlite").is_file()


def test_tables_of_a_run_may_lie_in_its_own_folder(dragoman: Cli, folder: Path) -> None:
    """The report of a run lies there, too."""
    assert dragoman(*RUN).returncode == 0
    assert dragoman("export", "mine", "--to", "csv", "--out", "mine").returncode == 0
    assert list((folder / "mine").glob("*.csv"))
