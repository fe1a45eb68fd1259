"""Thoughts in the language of the query, by two detectors side by side."""

import asyncio

from dragoman.core.apis.itc_answers import FORM
from dragoman.core.apis.metrics import LANGUAGE_LABEL
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.measures import MeasureResult, ScoringContext
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.scoring.language_detection import Detector, load_detector, load_langid
from dragoman.scoring.measures.api_calls import thoughts_measure

DETECTORS: dict[str, Detector] = {"lid.176": load_detector(), "langid": load_langid()}
PORTUGUESE = "Preciso de consultar a previsão do tempo para a cidade que o utilizador indicou."
ENGLISH = "I have to look up the weather forecast for the city that the user named."


def measured(text: str, language: str = "pt-BR", call_form: str = FORM) -> MeasureResult:
    task = Task(
        "1", "itc:test", "d", Scenario("?"), labels={LANGUAGE_LABEL: language} if language else {}
    )
    episode = Episode(
        (Message("agent", text_reply(text), call_form=call_form),), Termination("turns_done"), 1, 0
    )
    case = ScoringContext(task, episode, lambda _: None)  # type: ignore[arg-type]
    return asyncio.run(thoughts_measure(DETECTORS).measure(case))


def thought(words: str) -> str:
    return f'{{"Thought": "{words}", "Action": "[]"}}'


def test_each_detector_counts_the_thought_by_itself() -> None:
    assert measured(thought(PORTUGUESE)).counts == {
        "answers": 1,
        "lid.176 thoughts": 1,
        "lid.176 matching": 1,
        "langid thoughts": 1,
        "langid matching": 1,
    }
    found = measured(thought(ENGLISH))
    assert (found.counts["lid.176 matching"], found.counts["langid matching"]) == (0, 0)
    assert [each.why for each in found.evidence[1:]] == ["en, the query is in pt-BR"] * 2


def test_words_of_an_agent_with_native_calls_are_its_thought() -> None:
    assert measured(PORTUGUESE, call_form="").counts["langid matching"] == 1


def test_an_answer_without_a_thought_is_unscored_and_says_so() -> None:
    found = measured('{"Action": "[]"}')
    assert found.counts == {"answers": 1}
    assert found.evidence[0].why == "nothing was thought in words"
    assert measured("...", call_form="").evidence[1].why == "shorter than 5 characters"


def test_a_language_that_one_detector_does_not_know_is_unscored_by_it_alone() -> None:
    found = measured(thought("Ngifuna ukwazi isimo sezulu kusasa eThekwini."), "zu")
    assert found.counts["langid thoughts"] == 1
    assert "lid.176 thoughts" not in found.counts
    assert "does not know 'zu'" in found.evidence[1].why


def test_a_task_without_a_language_is_unscored() -> None:
    assert "does not say" in measured(thought(ENGLISH), language="").unscored
