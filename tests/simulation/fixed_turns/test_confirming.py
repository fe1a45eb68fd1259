"""With fixed turns, `careful` asks before it calls, and only answers restore losses."""

import asyncio
from collections.abc import Sequence

import pytest

from dragoman.core.protocols import Session, SessionInput, SessionStart
from dragoman.core.replies import Reply, TextReply, ToolCallReply, Utterance, text_reply
from dragoman.core.tasks import Action, Criteria, FixedTurn, Scenario, Task
from dragoman.core.tools import NO_TOOLS
from dragoman.simulation.participants.confirming import CarefulAgent
from dragoman.simulation.participants.oracle import LiteralAgent

MOVE = Action("0", "mv", {"source": "final_report.pdf", "destination": "temp"})
SORT = Action("1", "sort", {"file_name": "final_report.pdf", "count": 12, "order": "asc"}, turn=1)


def task_of(*actions: Action, messages: Sequence[str]) -> Task:
    turns = tuple(FixedTurn((message,)) for message in messages)
    criteria = Criteria(("CALLS",), actions=actions)
    return Task("t", "own", "1", Scenario("move"), criteria=criteria, turns=turns)


TASK = task_of(
    MOVE,
    SORT,
    messages=("Move final_report.pdf to temp.", "Sort final_report.pdf, 12 lines."),
)


def heard(text: str) -> TextReply:
    return TextReply(Utterance("what was meant", heard=text))


def answered(text: str) -> TextReply:
    return TextReply(Utterance(text), clarifies=True)


def replies(
    words: Sequence[SessionInput],
    *,
    task: Task = TASK,
    may_ask: bool = True,
    agent: str = "careful",
) -> list[Reply]:
    async def play() -> list[Reply]:
        opened = CarefulAgent() if agent == "careful" else LiteralAgent()
        session: Session = await opened.open(SessionStart(task, "agent", 1, may_ask=may_ask))
        return [(await session.reply([each], NO_TOOLS)).reply for each in words]

    return asyncio.run(play())


def calls(reply: Reply) -> list[dict[str, object]]:
    assert isinstance(reply, ToolCallReply)
    return [call.arguments for call in reply.calls]


def test_it_reads_back_what_it_heard_and_calls_with_what_was_answered() -> None:
    first, second, third = replies(
        [
            heard("move finalreport.pdf to ten"),
            answered("final_report.pdf"),
            answered("temp"),
        ]
    )
    begins = "Let me make sure that I heard you: the"
    assert first == text_reply(f'{begins} "source" is finalreport.pdf. Is that right?')
    assert second == text_reply(f'{begins} "destination" is ten. Is that right?')
    assert calls(third) == [{"source": "final_report.pdf", "destination": "temp"}]


def test_an_answer_that_was_misrecognized_too_is_taken_as_it_was_heard() -> None:
    *_, last = replies(
        [
            heard("move finalreport.pdf to ten"),
            answered("final_reports.pdf"),
            answered("tent"),
        ]
    )
    assert calls(last) == [{"source": "final_reports.pdf", "destination": "tent"}]


def test_nothing_is_confirmed_by_what_answers_something_else() -> None:
    *_, last = replies(
        [heard("move finalreport.pdf to ten"), answered("something"), answered("ten")]
    )
    assert calls(last) == [{"source": "something", "destination": "ten"}]


def test_a_turn_that_its_question_ended_has_no_calls_and_the_next_begins() -> None:
    first, second, third = replies(
        [
            heard("move final report dot pdf to temp"),
            heard("sort final_report.pdf twelve lines"),
            answered("final_report.pdf"),
        ]
    )
    assert isinstance(first, TextReply)
    assert isinstance(second, TextReply)
    assert '"file_name" is final_report.pdf' in second.text
    assert isinstance(third, TextReply)
    assert '"count" is' in third.text


def test_what_was_confirmed_once_is_not_asked_again() -> None:
    words: list[SessionInput] = [
        *(heard("move it"), answered("final_report.pdf"), answered("temp")),
        *(text_reply("moved"), heard("sort final report, 21 lines")),
    ]
    *_, last = replies(words)
    assert last == text_reply(
        'Let me make sure that I heard you: the "count" is 21. Is that right?'
    )


@pytest.mark.parametrize("agent", ["careful", "literal"])
def test_where_no_question_is_answered_it_plays_as_literal_does(agent: str) -> None:
    (first,) = replies([heard("move finalreport.pdf to ten")], may_ask=False, agent=agent)
    assert calls(first) == [{"source": "finalreport.pdf", "destination": "ten"}]


def test_literal_asks_nothing_whatever_may_be_asked() -> None:
    (first,) = replies([heard("move finalreport.pdf to ten")], agent="literal")
    assert isinstance(first, ToolCallReply)


def test_many_parameters_are_asked_for_in_three_questions_those_of_one_name_together() -> None:
    names = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": [7, 8]}
    numbers = "1 2 3 4 5 6 7 8"
    task = task_of(Action("0", "f", dict(names)), messages=(numbers,))
    answers = [heard(numbers), *(answered(numbers) for _ in range(3))]
    *questions, last = replies(answers, task=task)
    asked = [each.text for each in questions if isinstance(each, TextReply)]
    assert [text.count(" is ") for text in asked] == [3, 3, 2]
    assert 'the "g" is 7; the "g" is 8' in asked[2]
    assert calls(last) == [names]


def test_a_value_that_was_not_heard_at_all_is_to_be_spelled() -> None:
    task = task_of(Action("0", "f", {"query": "war and peace"}), messages=("Find War and Peace",))
    (first,) = replies([heard("five")], task=task)
    assert first == text_reply('Please spell the "query" in the NATO alphabet.')


def test_marks_that_end_sentences_are_left_out_of_what_is_read_back() -> None:
    said = "Say hello. How are you? to Ann"
    task = task_of(Action("0", "f", {"text": "hello. How are you?"}), messages=(said,))
    (first,) = replies([heard(said)], task=task)
    assert first == text_reply(
        'Let me make sure that I heard you: the "text" is hello How are you. Is that right?'
    )


def test_what_only_a_later_turn_tells_is_as_planned_until_then() -> None:
    early = Action("0", "mv", {"source": "final_report.pdf", "destination": "temp"})
    task = task_of(early, messages=("Move final_report.pdf there.", "I mean temp."))
    *_, last = replies([heard("move final_report.pdf there")], task=task, agent="literal")
    assert calls(last) == [{"source": "final_report.pdf", "destination": "temp"}]


def test_what_is_read_back_was_heard_in_this_turn() -> None:
    words: list[SessionInput] = [
        *(heard("move final_report.pdf to temp, in 12 lines"), answered("final_report.pdf")),
        *(answered("temp"), text_reply("moved"), heard("sort it by ones")),
    ]
    *_, last = replies(words)
    assert last == text_reply(
        'Let me make sure that I heard you: the "count" is sort. Is that right?'
    )
