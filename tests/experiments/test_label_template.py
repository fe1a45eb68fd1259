"""A template for human labels shows a conversation as judges are shown it."""

from dragoman.analysis.judge_accuracy import WHOLE, JudgedItem
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.replies import TextReply, ToolCallReply, Utterance
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.experiments.judge_validation import label_text


def spoken(words: str) -> TextReply:
    return TextReply(Utterance(words))


EVENTS = (
    Message("user", spoken("Please cancel order 7.")),
    Message("agent", ToolCallReply((ToolCall("c1", "cancel_order", {"id": "7"}),))),
    ToolResult("c1", "cancel_order", "cancelled", "agent"),
    Message("agent", spoken("It is cancelled.")),
)
EPISODE = Episode(EVENTS, Termination("user_stop"), 4, 0)


def test_a_whole_conversation_has_roles_calls_and_results() -> None:
    shown = label_text(EPISODE, JudgedItem("cell", WHOLE, "asked"))

    assert "user: Please cancel order 7." in shown
    assert 'agent calls cancel_order {"id":"7"}\ntool result (cancel_order): cancelled' in shown


def test_a_single_reply_has_its_words() -> None:
    assert label_text(EPISODE, JudgedItem("cell", 3, "polite")) == "It is cancelled."
