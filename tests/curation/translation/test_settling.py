import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.language.languages import find_language
from dragoman.core.errors import ParticipantError, RunHalted, StoreError
from dragoman.core.usage import Usage
from dragoman.curation.translation.do_not_translate import DomainData
from dragoman.curation.translation.glossary import NO_GLOSSARY, LabelRegistry
from dragoman.curation.translation.placeholders import find_do_not_translate
from dragoman.curation.translation.segments import BatchLimits, Component, Mode, Segment, units_of
from dragoman.curation.translation.translate import (
    DomainContext,
    TranslatorConfig,
    UnitResult,
    translate_units,
)
from dragoman.curation.translation.translators import (
    GlossaryTranslator,
    Reply,
    Request,
    Translator,
    UnusableReply,
    split_text,
)
from dragoman.store.translation_memory import MemoryEntry, SourceText, TranslationMemory

NOW = 1_790_000_000
DO_NOT_TRANSLATE = find_do_not_translate(
    DomainData(({"orders": [{"order_id": "#W1234567"}, {"order_id": "#W7654321"}]},))
)
LIMITS = BatchLimits()
Answer = Callable[[Request], Mapping[str, str]]


def segment(text: str, place: str = "", mode: Mode = "text", context: str = "shop/text") -> Segment:
    component: Component = "schema" if mode == "label" else "tasks"
    return Segment(f"file.json::{place or text}", component, text, mode, context)


def thai(text: str) -> str:
    """A translation for show, with its placeholders."""
    return f"คำ{'ก' * (len(text) % 7)}" + "".join(part for part in text if part in "⟦⟧0123456789")


class Scripted:
    """A translator that answers by a function and records its requests."""

    name = "some/model"
    version = "p1"
    is_model = True

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.asked: list[Request] = []

    async def translate(self, request: Request) -> Reply:
        self.asked.append(request)
        await asyncio.sleep(0)
        return Reply(self._answer(request), (), Usage("translation", self.name, 1, 10, 5))

    @property
    def texts(self) -> Counter[str]:
        """Number of requests for each text."""
        return Counter(item.text for request in self.asked for item in request.items.values())


def sound(request: Request) -> Mapping[str, str]:
    return {name: thai(item.text) for name, item in request.items.items()}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[TranslationMemory]:
    with TranslationMemory(tmp_path / "memory.sqlite") as opened:
        yield opened


Run = Callable[..., dict[str, UnitResult]]


@pytest.fixture
def run(memory: TranslationMemory) -> Run:
    """Return a function that translates segments with retries; its results are by text."""

    def settled(
        segments: Sequence[Segment], translator: Translator, limits: BatchLimits = LIMITS
    ) -> dict[str, UnitResult]:
        english, thai = find_language("en"), find_language("th")
        domain_context = DomainContext(
            english, thai, DO_NOT_TRANSLATE, NO_GLOSSARY, LabelRegistry(segments)
        )
        means = TranslatorConfig(translator, memory, lambda: NOW, limits)
        found = asyncio.run(translate_units(units_of(segments, "en", "th"), domain_context, means))
        return {source.text: each for source, each in found.items()}

    return settled


def source(text: str, context: str = "shop/text") -> SourceText:
    return SourceText("en", "th", context, text)


def stored(memory: TranslationMemory) -> dict[str, str]:
    return {entry.source.text: entry.target for entry in memory.entries()}


def test_each_distinct_text_is_asked_for_once_and_kept_with_who_gave_it(
    run: Run, memory: TranslationMemory
) -> None:
    translator = Scripted(sound)
    found = run([segment("Hello."), segment("Bye."), segment("Hello.", "again")], translator)
    assert {text: each.state for text, each in found.items()} == {
        "Hello.": "asked",
        "Bye.": "asked",
    }
    assert len(translator.asked) == 1
    assert memory.entries() == [
        MemoryEntry(source("Bye."), thai("Bye."), "machine", "some/model p1", NOW),
        MemoryEntry(source("Hello."), thai("Hello."), "machine", "some/model p1", NOW),
    ]
    assert memory.usage() == (Usage("translation", "some/model", 1, 10, 5),)


def test_what_the_memory_has_is_not_asked_for_and_a_review_stands(
    run: Run, memory: TranslationMemory
) -> None:
    memory.put([MemoryEntry(source("Hello."), "สวัสดีค่ะ", "reviewed", "a person", 1)])
    translator = Scripted(sound)
    found = run([segment("Hello."), segment("Bye.")], translator)
    assert (found["Hello."].state, found["Hello."].origin) == ("known", "reviewed")
    assert found["Hello."].target == "สวัสดีค่ะ"
    assert translator.texts == {"Bye.": 1}
    run([segment("Hello."), segment("Bye.")], translator)
    assert translator.texts == {"Bye.": 1}


def test_a_memory_that_names_no_context_serves_every_context(
    run: Run, memory: TranslationMemory
) -> None:
    memory.put([MemoryEntry(source("Hello.", ""), "หวัดดี", "imported", "theirs.tmx", 1)])
    found = run([segment("Hello.")], Scripted(sound))
    assert (found["Hello."].state, found["Hello."].target) == ("known", "หวัดดี")


def test_a_text_in_which_all_must_stay_needs_no_translator(run: Run) -> None:
    translator = Scripted(sound)
    found = run([segment("#W1234567")], translator)
    assert (found["#W1234567"].state, found["#W1234567"].target) == ("itself", "#W1234567")
    assert translator.asked == []


def test_texts_that_differ_in_ids_alone_are_one_question_and_keep_their_own_ids(run: Run) -> None:
    translator = Scripted(sound)
    one, two = "Where is order #W1234567?", "Where is order #W7654321?"
    found = run([segment(one), segment(two)], translator)
    assert len(translator.texts) == 1
    assert "#W1234567" in str(found[one].target)
    assert "#W7654321" in str(found[two].target)


def left_out_once() -> Answer:
    """Answers all but the last text, the first time."""
    seen: set[str] = set()

    def answer(request: Request) -> Mapping[str, str]:
        texts = dict(sound(request))
        last = list(texts)[-1]
        if len(texts) > 1 and last not in seen:
            seen.add(last)
            del texts[last]
        return texts

    return answer


def test_what_was_left_out_is_asked_for_again_and_nothing_else_is(run: Run) -> None:
    translator = Scripted(left_out_once())
    found = run([segment(text) for text in ("one", "two", "three")], translator)
    assert {each.state for each in found.values()} == {"asked"}
    assert translator.texts == {"one": 1, "two": 1, "three": 2}


def unreadable() -> Mapping[str, str]:
    raise UnusableReply("no JSON", Usage("translation", "some/model", 1, 10, 5))


def test_an_answer_that_nobody_can_read_is_asked_for_in_halves(
    run: Run, memory: TranslationMemory
) -> None:
    def only_two(request: Request) -> Mapping[str, str]:
        return sound(request) if len(request.items) <= 2 else unreadable()

    translator = Scripted(only_two)
    found = run([segment(f"text {letter}") for letter in "abcdefgh"], translator)
    assert {each.state for each in found.values()} == {"asked"}
    assert [len(request.items) for request in translator.asked] == [8, 8, 4, 2, 2, 4, 2, 2]
    assert memory.usage()[0].calls == 8


def test_a_text_whose_answers_nobody_can_read_is_given_up_and_the_others_are_not(run: Run) -> None:
    def stumbles(request: Request) -> Mapping[str, str]:
        if any(item.text == "bad" for item in request.items.values()):
            return unreadable()
        return sound(request)

    found = run([segment("bad"), segment("good"), segment("fine")], Scripted(stumbles))
    assert found["bad"].target is None
    assert (found["bad"].state, found["bad"].why) == ("given up", "no answer could be read")
    assert {found[text].state for text in ("good", "fine")} == {"asked"}


def without_placeholders(times: int) -> Answer:
    """Loses placeholders so often, text by text."""
    lost: Counter[str] = Counter()

    def answer(request: Request) -> Mapping[str, str]:
        texts = dict(sound(request))
        for name, item in request.items.items():
            if "⟦" in item.text and lost[name] < times:
                lost[name] += 1
                texts[name] = "คำที่ไม่มีอะไร"
        return texts

    return answer


ORDER = "Cancel #W1234567 now."


def test_a_lost_placeholder_is_asked_for_once_more_alone_with_its_name(run: Run) -> None:
    translator = Scripted(without_placeholders(1))
    found = run([segment(ORDER), segment("Hello.")], translator)
    assert "#W1234567" in str(found[ORDER].target)
    assert found[ORDER].issues == ()
    assert [len(request.items) for request in translator.asked] == [2, 1]
    (item,) = translator.asked[1].items.values()
    assert item.placeholders == ("⟦1⟧",)
    assert translator.texts["Hello."] == 1


def test_a_placeholder_that_stays_lost_leaves_the_text_untranslated_and_listed(
    run: Run, memory: TranslationMemory
) -> None:
    translator = Scripted(without_placeholders(9))
    found = run([segment(ORDER), segment("Hello.")], translator)
    assert found[ORDER].target is None
    assert found[ORDER].why == "every answer was refused"
    assert {issue.code for issue in found[ORDER].issues} == {"placeholder-lost", "id-lost"}
    assert len(translator.asked) == 2
    assert set(stored(memory)) == {"Hello."}


def test_a_text_that_comes_back_in_english_is_asked_for_again_once_and_then_kept_and_flagged(
    run: Run, memory: TranslationMemory
) -> None:
    def english(request: Request) -> Mapping[str, str]:
        return {name: item.text for name, item in request.items.items()}

    translator = Scripted(english)
    found = run([segment("Hello there, my friend.")], translator)
    assert len(translator.asked) == 2
    settled = found["Hello there, my friend."]
    assert settled.target == "Hello there, my friend."
    assert "copied" in [issue.code for issue in settled.issues]
    assert any(note.startswith("copied") for note in memory.entries()[0].notes)


def label(text: str) -> Segment:
    return segment(text, mode="label", context="shop/label/Status")


def test_two_values_never_get_one_label(run: Run) -> None:
    def same(request: Request) -> Mapping[str, str]:
        labels = {"pending": "รอ", "waiting": "รอ" if not taken(request) else "กำลังรอ"}
        return {name: labels[item.text] for name, item in request.items.items()}

    def taken(request: Request) -> bool:
        return any(item.taken for item in request.items.values())

    translator = Scripted(same)
    found = run([label("pending"), label("waiting")], translator)
    assert {text: each.target for text, each in found.items()} == {
        "pending": "รอ",
        "waiting": "กำลังรอ",
    }
    assert "รอ" in next(iter(translator.asked[-1].items.values())).taken


def test_a_label_that_no_other_can_be_had_for_stays_english_and_is_listed(
    run: Run, memory: TranslationMemory
) -> None:
    def same(request: Request) -> Mapping[str, str]:
        return dict.fromkeys(request.items, "รอ")

    found = run([label("pending"), label("waiting")], Scripted(same))
    assert [each.target for each in found.values()].count(None) == 1
    (refused,) = [each for each in found.values() if each.target is None]
    assert "label-collision" in [issue.code for issue in refused.issues]
    assert len(memory.entries()) == 1


def test_without_a_model_nothing_is_asked_twice_or_kept(
    run: Run, memory: TranslationMemory
) -> None:
    found = run([segment("Hello."), segment("Bye.")], GlossaryTranslator())
    assert {each.why for each in found.values()} == {"neither the memory nor the glossary has it"}
    assert memory.entries() == []


def test_what_infrastructure_keeps_back_is_out_of_reach_and_the_rest_is_done(run: Run) -> None:
    def broken(request: Request) -> Mapping[str, str]:
        if any(item.text == "bad" for item in request.items.values()):
            raise ParticipantError("no answer in 1,800 s")
        return sound(request)

    found = run([segment("bad"), segment("good")], Scripted(broken), BatchLimits(texts=1))
    assert (found["bad"].state, found["bad"].why) == ("out of reach", "no answer in 1,800 s")
    assert found["good"].state == "asked"


def test_a_halt_stops_at_once_and_what_was_under_way_is_kept(
    run: Run, memory: TranslationMemory
) -> None:
    def spent(request: Request) -> Mapping[str, str]:
        if any(item.text == "text 1" for item in request.items.values()):
            raise RunHalted("the budget is spent")
        return sound(request)

    translator = Scripted(spent)
    with pytest.raises(RunHalted, match="the budget is spent"):
        run([segment(f"text {number}") for number in range(20)], translator, BatchLimits(texts=1))
    assert len(translator.asked) < 20
    assert set(stored(memory)) == set(translator.texts) - {"text 1"}


DOCUMENT = "\n\n".join(
    [
        f"# Rule {letter}\n\nCall #W1234567 by its {letter * 30} name.{' Be kind.' * 150}"
        for letter in "ab"
    ]
)


def test_a_long_document_that_no_answer_can_be_had_for_is_asked_for_in_parts(
    run: Run, memory: TranslationMemory
) -> None:
    def short_ones(request: Request) -> Mapping[str, str]:
        if any(len(item.text) > 2_000 for item in request.items.values()):
            return unreadable()
        return {name: marked(item.text) for name, item in request.items.items()}

    translator = Scripted(short_ones)
    found = run([segment(DOCUMENT), segment("Hello.")], translator)
    whole = str(found[DOCUMENT].target)
    assert found[DOCUMENT].state == "asked"
    assert whole.count("#W1234567") == 2
    assert whole.count("\n\n") == DOCUMENT.count("\n\n")
    assert found["Hello."].state == "asked"
    assert set(stored(memory)) == {DOCUMENT, "Hello."}


def marked(text: str) -> str:
    """A translation for show that keeps headings, lines and placeholders."""
    return re.sub("[A-Za-z]+", "คำ", text)


def test_a_part_that_loses_a_placeholder_is_asked_for_again_and_the_others_are_not(
    run: Run,
) -> None:
    lost: set[str] = set()

    def answer(request: Request) -> Mapping[str, str]:
        texts = {name: marked(item.text) for name, item in request.items.items()}
        for name, text in texts.items():
            if len(text) > 2_000 or (name.endswith("-2") and name not in lost):
                lost.add(name)
                texts[name] = text.replace("⟦1⟧", "")
        return texts

    translator = Scripted(answer)
    found = run([segment(DOCUMENT)], translator)
    assert str(found[DOCUMENT].target).count("#W1234567") == 2
    assert [len(request.items) for request in translator.asked] == [1, 2, 1]
    (again,) = translator.asked[-1].items.values()
    assert again.placeholders == ("⟦1⟧",)


def test_a_document_of_which_a_part_never_comes_stays_english_and_is_listed(run: Run) -> None:
    def never_the_second(request: Request) -> Mapping[str, str]:
        return {
            name: marked(item.text).replace("⟦1⟧", "")
            if len(item.text) > 2_000
            else marked(item.text)
            for name, item in request.items.items()
            if not name.endswith("-2")
        }

    found = run([segment(DOCUMENT)], Scripted(never_the_second))
    assert found[DOCUMENT].target is None
    assert "placeholder-lost" in [issue.code for issue in found[DOCUMENT].issues]


@given(text=st.text(st.sampled_from("ab \n#⟦1⟧"), max_size=60), most=st.integers(1, 20))
def test_the_parts_of_a_text_are_the_text(text: str, most: int) -> None:
    parts = split_text(text, most)
    assert "".join(parts) == text
    assert len(parts) == 1 or all(part.strip() for part in parts[1:])


def test_nothing_more_is_asked_where_answers_cannot_be_kept(
    run: Run, memory: TranslationMemory
) -> None:
    translator = Scripted(sound)
    with sqlite3.connect(memory.path) as other:
        other.execute("PRAGMA writable_schema = ON")
        other.execute("DROP TABLE usage")
    other.close()
    texts = [segment(f"A text of number {number}.") for number in range(40)]
    with pytest.raises(StoreError, match="cannot be written"):
        run(texts, translator, BatchLimits(texts=1))
    assert len(translator.asked) == 8
