"""Whether the final reply of an agent that searches or remembers holds an accepted answer."""

import re
from collections.abc import Iterable

from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError, check_length
from dragoman.benchmarks.bfcl.text.python_text import read_literal
from dragoman.benchmarks.bfcl.verdicts import CallFault

NOT_FOUND = "agentic:answer_not_found"
NO_MESSAGE = "agentic:no_last_message"

_MARKS = re.compile(r"[,./\-_*^()]")
_MARKS_OUTSIDE_NUMBERS = re.compile(r"(?!(?<=\d)\.(?=\d)|(?<![\w)])-(?=\d))[,./\-_*^()]")


def standard_answer(text: str, rules: BfclRules) -> str:
    """Return a text as answers are compared: no case and little punctuation; spaces stay."""
    marks = _MARKS_OUTSIDE_NUMBERS if rules.answers_keep_their_numbers else _MARKS
    return marks.sub("", text).lower().replace("'", '"')


def answer_fault(message: object, accepted: Iterable[str], rules: BfclRules) -> CallFault | None:
    """Return what is wrong with a final reply: nothing where an accepted answer stands in it.

    Args:
        message: The reply; of a list its first item counts, None is no reply at all.
        accepted: The answers of which one is wanted.
        rules: The rule set.
    """
    if isinstance(message, list):
        message = message[0] if message else None
    if message is None:
        return CallFault(NO_MESSAGE, "the agent gave no final reply")
    text = str(message)
    try:
        check_length(text)
    except UnreadableError as error:
        return CallFault(NOT_FOUND, str(error))
    said = standard_answer(_answer(text) if rules.answers_are_judged_alone else text, rules)
    wanted = [standard_answer(answer, rules) for answer in accepted]
    if any(_stands_in(said, answer, rules) for answer in wanted):
        return None
    return CallFault(NOT_FOUND, f"none of {len(wanted)} accepted answers stands in the reply")


def _answer(text: str) -> str:
    """Return the answer of a reply that was written as asked, else the whole reply."""
    try:
        read = read_literal(text.strip())
    except UnreadableError:
        return text
    return str(read["answer"]) if isinstance(read, dict) and "answer" in read else text


def _stands_in(said: str, answer: str, rules: BfclRules) -> bool:
    wanted = re.escape(answer)
    if not rules.answers_end_where_words_do:
        return re.search(rf"\b{wanted}\b", said) is not None
    if not answer:
        return False
    before, after = r"(?<!\w)", r"(?!\w)"
    if rules.answers_keep_their_numbers:
        before, after = rf"{before}(?<!\d\.)(?<!-)", rf"{after}(?!\.\d)"
    return re.search(f"{before}{wanted}{after}", said) is not None
