"""`dragoman memory`: import, export, and the similarity of two memories."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.core.usage import Usage
from dragoman.store.translation_memory import MemoryEntry, SourceText, TranslationMemory
from dragoman.testing.fake_translation_llm import FakeTranslationLlm
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]

HELLO = SourceText("en", "th", "sample/text", "Hello.")


@pytest.fixture
def memory(folder: Path) -> Path:
    path = folder / "memory.sqlite"
    with TranslationMemory(path) as opened:
        opened.put(
            [MemoryEntry(HELLO, "สวัสดี", "reviewed", "a person", 9)],
            [Usage("translation", "openai/gpt-4.1", 2, 1_000_000, 100_000)],
        )
    return path


def test_what_a_memory_holds_and_took_is_shown(dragoman: Cli, memory: Path) -> None:
    shown = dragoman("memory", "show", memory.name)
    assert shown.returncode == 0, shown.stderr
    assert "reviewed" in shown.stdout
    assert "openai/gpt-4.1: 2 calls, 1,000,000 tokens in, 100,000 out, 2.80 USD" in shown.stdout
    reported = json.loads(dragoman("memory", "show", memory.name, "--json").stdout)
    assert reported["translations"] == [
        {"source_language": "en", "target_language": "th", "origin": "reviewed", "entries": 1}
    ]
    assert reported["usage"][0]["cost"] == pytest.approx(2.8)


def test_a_memory_goes_through_tmx_into_another_with_its_reviews(
    dragoman: Cli, folder: Path, memory: Path
) -> None:
    exported = dragoman("memory", "export", memory.name, "--out", "out/mine.tmx", "--to", "th")
    assert exported.stdout == "out/mine.tmx: 1 translation\n"
    assert dragoman("memory", "import", "out/mine.tmx", "other.sqlite").stdout == (
        "mine.tmx into th: 1 text\n"
    )
    with TranslationMemory(folder / "other.sqlite") as other:
        assert other.find([HELLO])[HELLO] == MemoryEntry(HELLO, "สวัสดี", "reviewed", "a person", 9)


def test_an_import_never_takes_the_place_of_a_review(
    dragoman: Cli, folder: Path, memory: Path
) -> None:
    with TranslationMemory(folder / "theirs.sqlite") as theirs:
        theirs.put([MemoryEntry(HELLO, "หวัดดี", "imported", "them", 10)])
    dragoman("memory", "export", "theirs.sqlite", "--out", "theirs.tmx")
    imported = dragoman("memory", "import", "theirs.tmx", memory.name, "--json")
    assert json.loads(imported.stdout)["imported"][0]["taken"] == 0
    with TranslationMemory(memory) as opened:
        assert opened.find([HELLO])[HELLO].target == "สวัสดี"


@pytest.mark.slow
def test_translated_artifacts_are_read_back_into_a_memory_that_agrees_with_the_first(
    dragoman: Cli, folder: Path, texts: int
) -> None:
    with ModelServer(FakeTranslationLlm()) as server:
        model = f"compatible/any?base_url={server.url}"
        dragoman("translate", "sample:shop", "--to", "vi", "--model", model, "--out", "out")
    options = ("--suite", "sample:shop", "--to", "vi")
    imported = dragoman("memory", "import", "out", "again.sqlite", *options, "--json")
    (reported,) = json.loads(imported.stdout)["imported"]
    assert (
        reported["domain"],
        reported["language"],
        reported["read"],
        reported["disagreeing"],
    ) == (
        *("sample", "vi"),
        *(texts, 0),
    )
    compared = dragoman(
        *("memory", "compare", "out/translation_memory.sqlite", "again.sqlite"), *options, "--json"
    )
    agreement = json.loads(compared.stdout)["agreement"]
    assert sum(each["texts"] for each in agreement) == texts
    assert [each for each in agreement if each["equal"] < each["texts"]] == []
    assert {each["likeness"] for each in agreement} == {1.0}
    assert (folder / "again.sqlite").is_file()


@pytest.mark.slow
def test_labels_that_were_left_in_english_are_no_translations(dragoman: Cli, folder: Path) -> None:
    dragoman("translate", "courier", "--to", "th", "--model", "glossary", "--out", "out")
    options = ("--suite", "courier", "--to", "th", "--json")
    imported = dragoman("memory", "import", "out", "again.sqlite", *options)
    (reported,) = json.loads(imported.stdout)["imported"]
    with TranslationMemory(folder / "again.sqlite", write=False) as memory:
        assert len(memory.entries()) == reported["read"]
        assert [each for each in memory.entries() if each.source.text in {"paid", "held"}] == []


def test_two_memories_are_compared_by_component(dragoman: Cli, folder: Path) -> None:
    source = SourceText("en", "th", "sample/text", "Items to give back.")
    for path, target in (("one.sqlite", "สินค้าที่จะคืน"), ("two.sqlite", "สินค้าที่ส่งคืน")):
        with TranslationMemory(folder / path) as memory:
            memory.put([MemoryEntry(source, target, "machine")])
    compared = dragoman(
        *("memory", "compare", "one.sqlite", "two.sqlite", "--suite", "sample:shop"),
        *("--to", "th", "--json"),
    )
    (agreement,) = json.loads(compared.stdout)["agreement"]
    assert (agreement["component"], agreement["texts"], agreement["equal"]) == ("tools", 1, 0)
    assert 0 < agreement["likeness"] < 1


REFUSED = [
    (("show", "none.sqlite"), 1, "no translation memory here"),
    (("import", "none.tmx", "memory.sqlite"), 1, "No such file"),
    (("import", "folder", "memory.sqlite"), 2, "name them with --suite"),
    (
        ("import", "folder", "memory.sqlite", "--suite", "sample:shop"),
        1,
        "folder is not a folder: name one that holds DOMAIN/LANGUAGE",
    ),
    (("compare", "memory.sqlite", "memory.sqlite"), 2, "name the texts to compare"),
]


@pytest.mark.parametrize(
    ("options", "status", "reported"), REFUSED, ids=[each[2] for each in REFUSED]
)
def test_a_mistake_is_one_line(
    dragoman: Cli, memory: Path, options: tuple[str, ...], status: int, reported: str
) -> None:
    assert memory.is_file()
    done = dragoman("memory", *options)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1), done.stderr
    assert reported in done.stderr


def test_a_file_that_breaks_off_is_refused_whole(dragoman: Cli, folder: Path) -> None:
    unit = (
        '<tu><tuv xml:lang="en"><seg>{0}</seg></tuv><tuv xml:lang="th"><seg>ก{0}</seg></tuv></tu>'
    )
    units = "".join(unit.format(number) for number in range(1_500))
    (folder / "cut.tmx").write_text(
        f'<tmx version="1.4"><header srclang="en"/><body>{units}<tu>', encoding="utf-8"
    )
    done = dragoman("memory", "import", "cut.tmx", "memory.sqlite")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cut.tmx: no TMX file" in done.stderr
    shown = dragoman("memory", "show", "memory.sqlite", "--json")
    assert json.loads(shown.stdout)["translations"] == []
