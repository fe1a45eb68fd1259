"""Traits that rules infer from a user's words, sentence by sentence."""

from collections.abc import Sequence

import pytest

from dragoman.conditions.persona.profile_inference import infer_by_rules
from dragoman.core.episodes import Event, Message
from dragoman.core.replies import TextReply, Utterance, text_reply
from dragoman.core.texts.user_cues import cue_finders, cue_languages


def said(*messages: str) -> list[Event]:
    """Return a conversation in which an agent says little and its user this."""
    events: list[Event] = []
    for message in messages:
        events += [
            Message("agent", text_reply("What is your phone?")),
            Message("user", text_reply(message)),
        ]
    return events


def read(*messages: str, languages: Sequence[str] = ("en",)) -> dict[str, object]:
    return infer_by_rules(said(*messages), languages)


def test_what_nothing_speaks_of_is_not_known() -> None:
    found = read("Hello.", "Fine.", "Maren Holt.")
    known = {name: value for name, value in found.items() if value != "N/A"}
    assert set(known) == {"inferred_by", "reasoning", "verbosity"}
    assert known["reasoning"] == ("By rules, of the last 3 messages of the customer: 0 definite.")


def test_a_skill_is_the_share_of_definite_answers() -> None:
    found = read(
        "It is somewhere here.",
        "The phone is 0171 5550.",
        "Sorry, I misread. The phone is 0171 5505.",
        "What do you mean by that?",
    )
    assert found["articulation_skill"] == 3  # one of three
    assert found["language_understanding_skill"] == 7  # two of three
    assert found["technical_skill"] == "N/A"
    assert found["persona"] == (
        "The customer answers vaguely, puts right what it said, asks what is meant."
    )
    assert "1 hedges (somewhere); 1 corrects (misread); 1 asks_back (What do you mean)" in str(
        found["reasoning"]
    )


def test_who_finds_its_way_is_more_skilled_than_who_asks_where() -> None:
    assert read("Where would I find it?")["technical_skill"] == 0
    assert read("Where would I find it?", "I did that. It says E4.")["technical_skill"] == 5
    assert read("I did that. It says E4.")["technical_skill"] == 10


def test_frustration_is_the_share_of_messages_that_complain() -> None:
    found = read("This is outrageous.", "I have been waiting for days.", "KL-4830.", "Yes.")
    assert found["frustration_level"] == 5
    assert read("KL-4830.")["frustration_level"] == "N/A"


def test_hurry_hesitation_repetition_and_mixing_are_traits_of_their_own() -> None:
    found = read("Quick, please.", "Um, KL-4830.", "As I said: KL-4830.", "Sige, heto na.")
    names = ("hurry", "hesitation", "repetition", "code_switching")
    assert [found[name] for name in names] == [2, 2, 2, 2]


def test_verbosity_is_a_third_of_the_words_of_a_mean_message() -> None:
    assert read("one two three", "one two three four five six seven eight nine")["verbosity"] == 2
    assert read("สวัสดีค่ะอยู่", languages=("th", "en"))["verbosity"] == 1


def test_age_and_gender_are_what_the_user_says_of_itself() -> None:
    assert read("I am 82 years old.", "I'm a woman.")["age"] == 82
    assert read("I am 82 years old.", "I'm a woman.")["gender"] == "woman"
    assert read("My wife is 82 years old.", "The sender is a man.")["age"] == "N/A"
    assert read("My wife is 82 years old.", "The sender is a man.")["gender"] == "N/A"


def test_the_last_sixteen_messages_of_both_sides_count() -> None:
    found = read("I am not sure.", *["The phone is 0171 5550."] * 8)
    assert found["articulation_skill"] == 10
    assert "of the last 8 messages" in str(found["reasoning"])


def test_what_reached_the_agent_counts_and_not_what_was_meant() -> None:
    heard = Utterance("I am not sure.", heard="I am on shore.")
    assert infer_by_rules([Message("user", TextReply(heard))], ("en",))["persona"] == "N/A"


def test_an_agents_words_say_nothing_of_its_user() -> None:
    events: list[Event] = [Message("agent", text_reply("I am not sure. Where would I find it?"))]
    assert infer_by_rules(events, ("en",))["persona"] == "N/A"


SENTENCES = {
    "en": {
        "hedges": "I am not sure.",
        "corrects": "No wait, I misspoke.",
        "asks_back": "I don't understand.",
        "lost": "How do I open it?",
        "managed": "I did that.",
        "frustrated": "I am fed up with this.",
        "hurried": "I have no time.",
        "hesitates": "Uh, one moment.",
        "repeats": "Like I said.",
        "mixes": "Salamat po.",
    },
    "vi": {
        "hedges": "Tôi không nhớ nữa.",
        "corrects": "Xin lỗi, tôi nói nhầm.",
        "asks_back": "Nghĩa là gì?",
        "lost": "Tôi không biết cách mở.",
        "managed": "Tôi làm xong rồi.",
        "frustrated": "Tôi rất bực.",
        "hurried": "Tôi đang gấp.",
        "hesitates": "Ừm, để xem.",
        "repeats": "Như đã nói.",
        "mixes": "Okay nhé.",
    },
    "th": {
        "hedges": "ไม่แน่ใจเลย",
        "corrects": "ขอโทษ พูดผิด",
        "asks_back": "ไม่เข้าใจ",
        "lost": "ต้องทำยังไง",
        "managed": "ทำแล้ว",
        "frustrated": "โมโหแล้วนะ",
        "hurried": "ตอนนี้ไม่มีเวลา",
        "hesitates": "เอ่อ เดี๋ยวก่อน",
        "repeats": "ขอย้ำ",
        "mixes": "Okay นะ",
    },
    "id": {
        "hedges": "Saya tidak yakin.",
        "corrects": "Maaf, saya salah sebut.",
        "asks_back": "Saya tidak paham.",
        "lost": "Bagaimana cara membukanya?",
        "managed": "Sudah selesai.",
        "frustrated": "Saya kecewa.",
        "hurried": "Saya tidak punya waktu.",
        "hesitates": "Hmm, sebentar.",
        "repeats": "Saya ulangi.",
        "mixes": "Sorry Kak.",
    },
    "tl": {
        "hedges": "Hindi po ako sigurado.",
        "corrects": "Mali ang basa ko kanina.",
        "asks_back": "Ano po iyon?",
        "lost": "Paano ko bubuksan?",
        "managed": "Tapos na po.",
        "frustrated": "Ang tagal naman.",
        "hurried": "Wala akong oras.",
        "hesitates": "Uhm, sandali lang.",
        "repeats": "Sinabi ko na po.",
        "mixes": "By the way, iyon nga.",
    },
    "zh": {
        "hedges": "我不太确定。",
        "corrects": "我看错了。",
        "asks_back": "我听不懂。",
        "lost": "怎么弄?",
        "managed": "弄好了。",
        "frustrated": "等了好久。",
        "hurried": "我很急。",
        "hesitates": "呃, 等一下。",
        "repeats": "我已经说过。",
        "mixes": "Sorry, 请等等。",
    },
}


@pytest.mark.parametrize("language", cue_languages())
def test_every_sign_is_found_in_every_language(language: str) -> None:
    found = {
        kind: cue_finders(language)[kind].search(sentence) is not None
        for kind, sentence in SENTENCES[language].items()
    }
    assert found == dict.fromkeys(SENTENCES["en"], True)


PLAIN = {
    "en": "The phone is 0171 5550.",
    "vi": "Dạ, số điện thoại là 0171 5550.",
    "th": "เบอร์โทรศัพท์คือ 0171 5550",
    "id": "Ini nomor teleponnya: 0171 5550.",
    "tl": "Ang telepono po ay 0171 5550.",
    "zh": "电话号码是01715550。",
}


@pytest.mark.parametrize("language", cue_languages())
def test_a_plain_answer_has_no_sign_in_any_language(language: str) -> None:
    found = read(PLAIN[language], languages=(language, "en"))
    assert (found["persona"], found["articulation_skill"]) == ("N/A", 10)
