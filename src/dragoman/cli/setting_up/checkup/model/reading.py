"""Reads from answers what is the matter with an endpoint."""

import re
from collections.abc import Mapping

import msgspec

from dragoman.cli.setting_up.checkup.model.asking import ARGUMENT, TOOL
from dragoman.core.speech import Called
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.chat.streaming import assemble_completion, is_stream
from dragoman.models.http.transport import OK, MalformedResponse
from dragoman.wiring.probing import Probed

MOST_SHOWN = 200

_NO_KEY = frozenset({401, 403})
_NOT_THERE = frozenset({404, 405, 410})
_REDIRECTED = range(300, 400)
_REFUSALS = 400
_OF_STATUS = {OK: "not_a_completion", 429: "no_room", 503: "loading"}
_OF_FAULTS: Mapping[str, str] = {
    "timeout": "timeout",
    "dns": "no_connection",
    "connect": "no_connection",
}

_TOOLS_LEAST_TOKENS = 15
"""The tool of the probe is longer in any tokenizer: what counts fewer left it out."""

_says_no_model = re.compile(
    r"model[^.]{0,200}?(?:not found|does ?n[o']t exist|not exist|unknown|not loaded|not available)"
    r"|(?:unknown|invalid|no such|no) model|model_not_found|pulling it first|no models loaded",
    re.IGNORECASE | re.DOTALL,
).search
_speaks_of_tools = re.compile(r"\btool|\bfunction|--jinja", re.IGNORECASE).search
_is_call_syntax = re.compile(
    rf"[\"']{TOOL}[\"']|function={TOOL}|<{TOOL}>"
    rf"|{TOOL}(?:\.\w{{1,20}}|\s|<\|\w{{1,20}}\|>|[\"':,>]){{0,8}}[({{]"
).search
_marks_reasoning = re.compile(
    r"</?(?:think|thinking|thought|reasoning|analysis)>|<\|channel\|?>|\[/?THINK\]|◁/?think▷",
    re.IGNORECASE,
).search


_is_template_mark = re.compile(
    r"<\|?(?:im_(?:start|end)|eot_id|end(?:oftext|_of_turn)?|start_of_turn|assistant|user|system)\|?>"
    r"|</s>|\[/?INST\]",
    re.IGNORECASE,
).search


def trouble(answer: Probed, *, sent_key: bool) -> str:
    """Return why no reply came, in one word for programs; "" where one came.

    Args:
        answer: What came.
        sent_key: Whether a key was sent.
    """
    if answer.reply is not None and answer.status == OK:
        return ""
    if answer.fault is not None:
        return _OF_FAULTS.get(answer.fault, "broken")
    if answer.status in _NO_KEY:
        return "key_refused" if sent_key else "key_missing"
    if answer.status >= _REFUSALS and _says_no_model(_text(answer)):
        return "no_such_model"
    return _of_status(answer.status)


def _of_status(status: int) -> str:
    if status in _REDIRECTED or status in _NOT_THERE:
        return "wrong_address"
    return _OF_STATUS.get(status, "refused")


def _text(answer: Probed) -> str:
    return answer.body.decode("utf-8", "replace")


def tools_trouble(answer: Probed) -> str:
    """Return "tools_refused" where a refusal speaks of tools, else ""."""
    is_refusal = answer.reply is None and answer.status not in {0, OK}
    return "tools_refused" if is_refusal and _speaks_of_tools(_text(answer)) else ""


def called_well(answer: Probed) -> str:
    """Return what is wrong with the calls of a reply, in one word for programs; "" for nothing."""
    if not isinstance(answer.reply, Called):
        return "no_call"
    first = answer.reply.calls[0]
    if first.malformed:
        return "bad_arguments"
    if first.name != TOOL:
        return "unknown_tool"
    return "" if isinstance(first.arguments.get(ARGUMENT), str) else "bad_arguments"


def writes_call_as_text(answer: Probed) -> bool:
    """Whether the words of a reply hold a call of the tool in any of the forms that models write."""
    return _is_call_syntax(content_of(answer)) is not None


def left_tools_out(without: Probed, offered: Probed) -> bool:
    """Whether the same request had no more tokens with a tool on offer: the model never saw it."""
    if without.tokens_in is None or offered.tokens_in is None or not without.tokens_in:
        return False
    return offered.tokens_in - without.tokens_in < _TOOLS_LEAST_TOKENS


def reasoning_in(answer: Probed) -> str:
    """Return where a reply's reasoning stands: "in_words", "apart", or "" for none that can be seen."""
    message = _message(answer)
    if _marks_reasoning(content_of(answer)):
        return "in_words"
    told = any(
        message.get(name) for name in ("reasoning_content", "reasoning", "reasoning_details")
    )
    return "apart" if told else ""


def holds_template_marks(answer: Probed) -> bool:
    """Whether the words hold marks of a chat template: the template does not fit the model."""
    return _is_template_mark(content_of(answer)) is not None


def is_cut(answer: Probed) -> bool:
    """Whether a reply ended because it might not be longer."""
    return _choice(answer).get("finish_reason") == "length"


def came_as_stream(answer: Probed) -> bool:
    """Whether an answer is a stream of events."""
    return is_stream(answer.body)


def content_of(answer: Probed) -> str:
    """Return the words of a reply as the server sent them."""
    content = _message(answer).get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def shown(text: str) -> str:
    """Return the beginning of a text in one line."""
    line = " ".join(text[: 8 * MOST_SHOWN].split())
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 1]}…"


def said_in_refusal(answer: Probed) -> str:
    """Return what an answer without a reply says, in one short line."""
    if answer.fault is not None or not answer.body:
        return shown(answer.error)
    text = answer.body[: 8 * MOST_SHOWN].decode("utf-8", "replace")
    if text.lstrip()[:1] == "<":
        return f"status {answer.status}: a web page"
    try:
        given = msgspec.json.decode(answer.body)
    except UNREADABLE:
        return f"status {answer.status}: {shown(text)}"
    error = given.get("error", given) if isinstance(given, dict) else given
    message = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    return f"status {answer.status}: {shown(message if isinstance(message, str) else text)}"


def _message(answer: Probed) -> Mapping[str, object]:
    message = _choice(answer).get("message")
    return message if isinstance(message, dict) else {}


def _choice(answer: Probed) -> Mapping[str, object]:
    if answer.status != OK:
        return {}
    try:
        body = assemble_completion(answer.body) if came_as_stream(answer) else answer.body
        given = msgspec.json.decode(body)
    except (*UNREADABLE, MalformedResponse):
        return {}
    choices = given.get("choices") if isinstance(given, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}
