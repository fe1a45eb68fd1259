from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.tmx import tmxfile

from dragoman.core.errors import DataError
from dragoman.curation.translation.tmx import MOST_CHARS, read_tmx, write_tmx
from dragoman.store.translation_memory import MemoryEntry, SourceText

KNOWN = ("th", "vi", "pt-BR", "zh")
XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\r\n\t<>&'\"]"),
    max_size=30,
)
WORDS = TEXTS.filter(str.strip)
ENTRIES = st.lists(
    st.builds(
        MemoryEntry,
        st.builds(SourceText, st.just("en"), st.sampled_from(KNOWN), TEXTS, WORDS),
        WORDS,
        st.sampled_from(["machine", "imported", "reviewed"]),
        TEXTS,
        st.integers(0, 4_000_000_000),
        st.lists(TEXTS, max_size=2).map(tuple),
        st.none() | TEXTS,
        st.none() | st.floats(0, 1),
    ),
    max_size=5,
)

POLICY = MemoryEntry(
    SourceText("en", "th", "retail/text", "# Rules\n\n- Never say <no> & mean it.\n"),
    "# กติกา\n\n- อย่าพูด <no> & หมายความตามนั้น\n",
    "reviewed",
    "a reviewer",
    1_790_000_000,
    ("shorter than usual",),
)
LABEL = MemoryEntry(SourceText("en", "pt-BR", "retail/label", "gift card"), "vale", "machine", "m")


def written(tmp_path: Path, entries: Sequence[MemoryEntry]) -> Path:
    path = tmp_path / "memory.tmx"
    path.write_bytes(b"".join(write_tmx(entries, "en")))
    return path


def read(tmp_path: Path, body: str, header: str = 'srclang="en"') -> list[MemoryEntry]:
    path = tmp_path / "theirs.tmx"
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header {header} '
        f'creationtool="other"/><body>{body}</body></tmx>',
        encoding="utf-8",
    )
    return list(read_tmx(path, "en", KNOWN))


@given(entries=ENTRIES)
def test_what_is_written_is_read_again_whole(
    tmp_path_factory: pytest.TempPathFactory, entries: list[MemoryEntry]
) -> None:
    path = written(tmp_path_factory.mktemp("tmx"), entries)
    assert list(read_tmx(path, "en", KNOWN)) == entries


def test_another_program_reads_the_same_texts(tmp_path: Path) -> None:
    units = tmxfile.parsefile(str(written(tmp_path, [POLICY, LABEL]))).getunits()
    assert [(str(unit.source), str(unit.target)) for unit in units] == [
        (POLICY.source.text, POLICY.target),
        (LABEL.source.text, LABEL.target),
    ]
    assert units[0].getnotes() == "shorter than usual"


def test_what_another_program_writes_is_read(tmp_path: Path) -> None:
    store = tmxfile(sourcelanguage="en", targetlanguage="th")
    store.addtranslation("Order & <pay>", "en", "สั่งซื้อ & <จ่าย>", "th")
    path = tmp_path / "theirs.tmx"
    store.savefile(str(path))
    assert list(read_tmx(path, "en", KNOWN)) == [
        MemoryEntry(
            SourceText("en", "th", "", "Order & <pay>"), "สั่งซื้อ & <จ่าย>", "imported", "theirs.tmx"
        )
    ]


def test_a_file_has_the_elements_and_attributes_that_the_format_requires(tmp_path: Path) -> None:
    root = ET.parse(written(tmp_path, [POLICY, LABEL])).getroot()  # noqa: S314 - written here
    assert (root.tag, root.attrib) == ("tmx", {"version": "1.4"})
    header, body = root
    assert set(header.attrib) == {
        *("creationtool", "creationtoolversion", "segtype", "o-tmf", "adminlang", "srclang"),
        "datatype",
    }
    assert header.get("segtype") == "block"
    assert [unit.tag for unit in body] == ["tu", "tu"]
    for unit in body:
        assert [part.tag for part in unit] == ["prop", "tuv", "tuv"]
        assert [part.get("type") for part in unit.findall("prop")] == ["x-context"]
        assert all(XML_LANGUAGE in variant.attrib for variant in unit.findall("tuv"))
        for variant in unit.findall("tuv"):
            tags = [part.tag for part in variant]
            assert tags[-1] == "seg"
            assert set(tags[:-1]) <= {"note", "prop"}
    first = body[0].findall("tuv")[1]
    assert first.get("changedate") == "20260921T141320Z"
    assert {part.get("type"): part.text for part in first.findall("prop")} == {
        "x-origin": "reviewed",
        "x-translator": "a reviewer",
    }


def test_languages_are_known_by_their_codes_or_by_what_comes_before_the_country(
    tmp_path: Path,
) -> None:
    found = read(
        tmp_path,
        '<tu creationdate="20260101T000000Z">'
        '<tuv xml:lang="EN-us"><seg>Hi</seg></tuv><tuv xml:lang="th-TH"><seg>ดี</seg></tuv>'
        '<tuv lang="PT-br"><seg>Oi</seg></tuv><tuv xml:lang="pt-PT"><seg>Olá</seg></tuv></tu>',
        'srclang="EN-US"',
    )
    assert {entry.source.target_language: entry.target for entry in found} == {
        "th": "ดี",
        "pt-BR": "Oi",
        "pt-PT": "Olá",
    }
    assert {entry.made for entry in found} == {1_767_225_600}


def test_units_from_another_language_are_left_out(tmp_path: Path) -> None:
    german = '<tu srclang="de"><tuv xml:lang="de"><seg>Hallo</seg></tuv><tuv xml:lang="en"><seg>Hi</seg></tuv></tu>'
    english = '<tu><tuv xml:lang="th"><seg>ดี</seg></tuv><tuv xml:lang="en"><seg>Hi</seg></tuv></tu>'
    lonely = '<tu><tuv xml:lang="th"><seg>ดี</seg></tuv></tu>'
    found = read(tmp_path, german + english + lonely, 'srclang="*all*"')
    assert [(entry.source.text, entry.target) for entry in found] == [("Hi", "ดี")]


def test_codes_of_other_programs_in_a_text_are_part_of_it(tmp_path: Path) -> None:
    (entry,) = read(
        tmp_path,
        '<tu><tuv xml:lang="en"><seg>a <bpt i="1">&lt;b&gt;</bpt>bold<ept i="1">&lt;/b&gt;</ept> '
        '<hi>word</hi></seg></tuv><tuv xml:lang="th"><seg>คำ</seg></tuv></tu>',
    )
    assert entry.source.text == "a <b>bold</b> word"


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>&b;</seg></tuv>'
    '<tuv xml:lang="th"><seg>x</seg></tuv></tu></body></tmx>'
)
OUTSIDE = BOMB.replace('<!ENTITY a "ha"><!ENTITY b "&a;&a;">', '<!ENTITY b SYSTEM "/etc/hostname">')
UNKNOWN = BOMB.replace('[<!ENTITY a "ha"><!ENTITY b "&a;&a;">]', 'SYSTEM "tmx14.dtd"')


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (BOMB, "it uses XML entities of its own"),
        (OUTSIDE, "it uses XML entities of its own"),
        (UNKNOWN, "it uses XML entities of its own"),
        ("<html><body/></html>", "no TMX file: it begins with <html>"),
        ("<tmx><body>", "no TMX file"),
        ("", "no TMX file"),
        ("no XML", "no TMX file"),
        (
            f"<tmx><body><tu><tuv><seg>{'x' * (MOST_CHARS + 1)}</seg></tuv></tu></body></tmx>",
            "line 1: a text of more than 1,048,576 characters",
        ),
    ],
)
def test_a_file_that_is_none_or_tries_something_is_one_line(
    tmp_path: Path, content: str, reported: str
) -> None:
    path = tmp_path / "bad.tmx"
    path.write_text(content)
    with pytest.raises(DataError, match=f"bad.tmx: .*{reported}"):
        list(read_tmx(path, "en", KNOWN))


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        list(read_tmx(tmp_path / "none.tmx", "en", KNOWN))


@pytest.mark.parametrize(("text", "named"), [("a\x07b", "U\\+0007"), ("\ud83d", "U\\+D83D")])
def test_a_text_that_xml_cannot_carry_is_told(text: str, named: str) -> None:
    entry = MemoryEntry(SourceText("en", "th", "", text), "x", "machine")
    with pytest.raises(DataError, match=f"XML cannot carry the character {named}"):
        list(write_tmx([entry], "en"))


def test_properties_that_make_no_sense_are_those_of_an_import(tmp_path: Path) -> None:
    (entry,) = read(
        tmp_path,
        '<tu changedate="yesterday"><prop type="x-origin">god</prop><prop type="x-quality">9</prop>'
        '<tuv xml:lang="en"><seg>Hi</seg></tuv><tuv xml:lang="th"><seg>ดี</seg></tuv></tu>',
    )
    assert (entry.origin, entry.made, entry.quality) == ("imported", 0, None)


def test_a_text_without_a_language_or_a_translation_is_none(tmp_path: Path) -> None:
    body = (
        '<tu><tuv xml:lang="en"><seg>Hello</seg></tuv><tuv><seg>สวัสดี</seg></tuv>'
        f'<tuv xml:lang="{"x" * 1_000}"><seg>สวัสดี</seg></tuv></tu>'
        '<tu><tuv xml:lang="en"><seg>Bye</seg></tuv><tuv xml:lang="th"><seg> </seg></tuv></tu>'
        '<tu><tuv xml:lang="en"><seg/></tuv><tuv xml:lang="th"><seg>ลา</seg></tuv></tu>'
        '<tu><tuv xml:lang="en"><seg>Yes</seg></tuv><tuv xml:lang="th"><seg>ใช่</seg></tuv></tu>'
    )
    assert [each.source.text for each in read(tmp_path, body)] == ["Yes"]


@pytest.mark.parametrize("encoding", ["windows-874", "gb18030"])
def test_an_encoding_that_is_not_read_is_told(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "theirs.tmx"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><tmx/>')
    with pytest.raises(DataError, match=r"theirs\.tmx: .* save it in UTF-8"):
        list(read_tmx(path, "en", KNOWN))
