"""Clean-up of raw model output: reasoning, provider fields, end-of-turn tokens.

Reasoning that a server left in the text is separated from the words. Providers document that some
fields must be sent back unchanged in the history: DeepSeek's `reasoning_content` with calls, the
thought signatures in Gemini's `extra_content`, OpenRouter's `reasoning_details`, the thinking parts
in Mistral's content. They are in the reply's body, which records keep. A reply is cut at the end of
a turn in its chat template, for servers that do not stop there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS

_NAMES = "think|thinking|thought|thoughts|reasoning"
_FAMILY_OF_NAMES = frozenset(_NAMES.split("|"))
_MOST_INDENT = 100
_HEADS = re.compile(r"\s*(?:analysis|here (?:is|are))", re.IGNORECASE).match
_TAG = re.compile(
    rf"""
    (?:<|&lt;)\s?(?P<slash>/?)\s?(?:[a-z]{{1,12}}:|longcat_)?(?P<name>{_NAMES})(?:\s[^<>/\n]{{0,100}})?\s?(?P<empty>/?)(?:>|&gt;)
    | (?P<bracket>\[/?THINK\])
    | (?P<triangle>◁/?think▷)
    | (?P<cohere><\|(?:START|END)_THINKING\|>)
    | (?P<openthinker><\|(?:begin|end)_of_thought\|>)
    | (?P<piped><\|/?think\|>)
    | (?P<apertus><\|inner_(?:prefix|suffix)\|>)
    | (?P<medgemma><unused9[45]>)
    | (?P<gemma><\|channel>thought\n?|<channel\|>)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOSES = {
    "bracket": "[/think]",
    "triangle": "◁/think▷",
    "cohere": "<|end_thinking|>",
    "openthinker": "<|end_of_thought|>",
    "piped": "<|/think|>",
    "apertus": "<|inner_suffix|>",
    "medgemma": "<unused95>",
    "gemma": "<channel|>",
}
_MAY_HOLD = re.compile(
    rf"(?:<|&lt;)[\s/]{{0,3}}(?:[a-z]{{1,12}}:|longcat_)?(?:{_NAMES})\b|\[/?THINK\]|◁/?think▷"
    r"|<\|channel|<channel\|>"
    r"|_THINKING\||_of_thought\||<\|inner_|<\|/?think\||<unused9[45]>|^\s*analysis|^\s*Here "
    r"(?:is|are) my ",
    re.IGNORECASE,
)
_WRAPPED = re.compile(
    r"\s*(?:<(?P<tag>answer|response|output|solution)>(?P<inner>.*?)(?:</(?P=tag)>\s*$|$)"
    r"|<\|START_RESPONSE\|>(?P<cohere>.*?)(?:<\|END_RESPONSE\|>\s*$|$)"
    r"|<\|begin_of_solution\|>(?P<open>.*?)(?:<\|end_of_solution\|>\s*$|$))",
    re.DOTALL | re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(?P<channel>analysis|commentary|final)"
    r"(?P<header>[^<]{0,200})(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
)
_CHANNEL_ENDS = re.compile(r"<\|(?:end|return|call)\|>|<\|start\|>")
_BARE_CHANNELS = re.compile(
    r"\s*analysis(?P<reasoning>.*?)assistant\s?final(?P<words>.*)", re.DOTALL
)
_GRANITE = re.compile(
    r"\s*Here (?:is|are) my (?:thought process|reasoning steps):(?P<reasoning>.*?)"
    r"(?:Here is my response:|\[BEGIN FINAL RESPONSE\])(?P<words>.*?)(?:\[END FINAL "
    r"RESPONSE\]\s*)?$",
    re.DOTALL,
)


class SeparatedText(NamedTuple):
    """A text without its reasoning.

    Attributes:
        words: The words of the reply. Without markup it is the unchanged text.
        reasoning: The reasoning; "" for a text without reasoning.
        start: The position of the words in the text; its length if it has no words.
    """

    words: str
    reasoning: str = ""
    start: int = 0


class _Tag(NamedTuple):
    start: int
    end: int
    family: str
    closes: bool


class _Span(NamedTuple):
    """A part of a text, and whether it is reasoning."""

    start: int
    end: int
    is_reasoning: bool


def separate_reasoning(text: str) -> SeparatedText:
    """Return the words and the reasoning of a text.

    A text without reasoning markup is returned unchanged. Reasoning that was cut off, and so has no
    closing tag, extends to the end of the text; no words are left then.
    """
    if not (_has_sign(text) and _MAY_HOLD.search(text)):
        return SeparatedText(text)
    for whole in (_BARE_CHANNELS, _GRANITE):
        if found := whole.fullmatch(text):
            spans = [_Span(*found.span("reasoning"), True), _Span(*found.span("words"), False)]
            return _separate_spans(text, spans)
    spans = list(_channel_spans(text)) or list(_tag_spans(text))
    return _separate_spans(text, spans) if spans else SeparatedText(text)


def _has_sign(text: str) -> bool:
    """Return whether a text has a sign with which markup begins; most replies have none."""
    return "<" in text or "[" in text or "◁" in text or "&lt;" in text or _HEADS(text) is not None


def _separate_spans(text: str, spans: list[_Span]) -> SeparatedText:
    """Return the word parts and the reasoning parts of a text."""
    words = [text[span.start : span.end] for span in spans if not span.is_reasoning]
    reasoning = [text[span.start : span.end].strip() for span in spans if span.is_reasoning]
    said = _join_spoken_parts(words)
    if wrapped := _WRAPPED.fullmatch(said):
        said = next(
            inner for inner in wrapped.group("inner", "cohere", "open") if inner is not None
        )
    return SeparatedText(said.strip(), "\n\n".join(filter(None, reasoning)), _start(text, spans))


def _join_spoken_parts(parts: Iterable[str]) -> str:
    """Return the word parts as one text, with breaks in place of the reasoning."""
    said: list[str] = []
    was_broken = False
    for part in parts:
        words = part.strip()
        if words:
            is_broken = was_broken or "\n" in part[: len(part) - len(part.lstrip())]
            said += ["\n" if is_broken else " ", words] if said else [words]
            was_broken = False
        was_broken = was_broken or "\n" in part[len(part.rstrip()) :]
    return "".join(said)


def _start(text: str, spans: list[_Span]) -> int:
    for span in spans:
        part = text[span.start : span.end]
        if not span.is_reasoning and part.strip():
            return span.start + len(part) - len(part.lstrip())
    return len(text)


def _channel_spans(text: str) -> Iterator[_Span]:
    """Yield the parts of a text in Harmony's channels; only analysis is reasoning.

    A message of the commentary channel to a function is a call that the server did not parse. It is
    kept as written, for the parser of calls in text.
    """
    end = 0
    for found in _CHANNEL.finditer(text):
        if found.start() < end:
            continue
        if text[end : found.start()].strip():
            yield _Span(end, found.start(), False)
        ends = _CHANNEL_ENDS.search(text, found.end())
        body_end = len(text) if ends is None else ends.start()
        is_call = "to=" in found["header"]
        begin = found.start() if is_call else found.end()
        yield _Span(begin, body_end, found["channel"] == "analysis" and not is_call)
        is_header = ends is not None and ends.group() == "<|start|>"
        end = body_end if ends is None or is_header else ends.end()
    if end and text[end:].strip():
        yield _Span(end, len(text), False)


def _tag_spans(text: str) -> Iterator[_Span]:
    """Yield the parts of a text between reasoning tags; nothing if no tag counts as one.

    A closing tag without an opening one ends reasoning: the chat template wrote the opening tag, or
    the reasoning itself names the closing one. At the end of words it is omitted.
    """
    tags = list(_tags(text))
    last_close = {tag.family: tag.start for tag in tags if tag.closes}
    written_end = len(text.rstrip())
    spans: list[_Span] = []
    at, reasoning_end = 0, 0
    inside: frozenset[str] = frozenset()
    for tag in tags:
        if inside:
            if tag.closes and tag.family in inside:
                spans.append(_Span(at, tag.start, True))
                at, inside = tag.end, frozenset()
        elif not tag.closes:
            closes = _closes_of(tag, last_close)
            if closes or _begins_line(text, tag.start):
                spans.append(_Span(at, tag.start, False))
                at, inside = tag.end, closes or frozenset({tag.family})
        else:
            if tag.end < written_end or not spans:
                reasoning_end = tag.start
            spans.append(_Span(at, tag.start, False))
            at = tag.end
    if spans:
        spans.append(_Span(at, len(text), bool(inside)))
    for span in spans:
        yield span._replace(is_reasoning=True) if span.end <= reasoning_end else span


def _closes_of(tag: _Tag, last_close: Mapping[str, int]) -> frozenset[str]:
    """Return the closing tags that end the part that a tag opens; empty if none follows.

    Some models close `<think>` with `</thinking>`, so another name counts if the tag's own name is
    missing.
    """
    if last_close.get(tag.family, -1) > tag.start:
        return frozenset({tag.family})
    if tag.family in _FAMILY_OF_NAMES:
        later = (name for name in _FAMILY_OF_NAMES if last_close.get(name, -1) > tag.start)
        return frozenset(later)
    return frozenset()


def _tags(text: str) -> Iterator[_Tag]:
    for found in _TAG.finditer(text):
        start, end = found.span()
        if text[start - 1 : start] == "`" and text[end : end + 1] == "`":
            continue  # it is written about
        if name := found["name"]:
            yield _Tag(start, end, name.casefold(), bool(found["slash"]))
            if found["empty"]:
                yield _Tag(end, end, name.casefold(), True)
        else:
            family = found.lastgroup or ""
            yield _Tag(start, end, family, found.group().casefold() == _CLOSES[family])


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - _MOST_INDENT) : at]
    return not before[before.rfind("\n") + 1 :].strip() and (at < _MOST_INDENT or "\n" in before)


REASONING_FIELDS = (
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "reasoning_details",
    "thinking_blocks",
)
"""Fields of a message in which providers return reasoning."""

CALL_FIELDS = ("extra_content", "thought_signature", "provider_specific_fields")
"""Fields of a call that providers require in the history."""

WHOLE_CONTENT = "whole_content"
"""The field of the package's messages that holds the unaltered content.

It is used if the words alone are the message.
"""

_MESSAGE_FIELDS = (*REASONING_FIELDS, "extra_content")


class ProviderFields(msgspec.Struct, frozen=True):
    """Fields of a reply in addition to its words and calls.

    Attributes:
        message: Fields of the message.
        calls: Fields of each call, in order; empty if no call has any.
        content: The content as it came; None if it equals the words.
    """

    message: Mapping[str, object] = {}
    calls: Sequence[Mapping[str, object]] = ()
    content: object = None


NO_PROVIDER_FIELDS = ProviderFields()


class _Choice(msgspec.Struct):
    message: dict[str, object]


class _Body(msgspec.Struct):
    choices: list[_Choice]


_BODY = msgspec.json.Decoder(_Body)


def provider_fields(raw: msgspec.Raw | msgspec.UnsetType, words: str) -> ProviderFields:
    """Return the fields of a reply that its model may require in the history.

    Args:
        raw: The body of the reply; any body other than a chat completion has no fields.
        words: The reply's words, without reasoning.
    """
    if isinstance(raw, msgspec.UnsetType):
        return NO_PROVIDER_FIELDS
    body = bytes(raw)
    if not _may_have_provider_fields(body):
        return NO_PROVIDER_FIELDS
    try:
        message = _BODY.decode(body).choices[0].message
    except (*DECODING_ERRORS, IndexError):
        return NO_PROVIDER_FIELDS
    fields = {name: message[name] for name in _MESSAGE_FIELDS if message.get(name)}
    given = message.get("tool_calls")
    calls = [
        {name: call[name] for name in CALL_FIELDS if call.get(name)}
        if isinstance(call, dict)
        else {}
        for call in (given if isinstance(given, list) else ())
    ]
    content = message.get("content")
    return ProviderFields(
        fields,
        calls if any(calls) else (),
        content if content and content != words else None,
    )


def _may_have_provider_fields(body: bytes) -> bool:
    """Return whether a body may hold any of the fields, or reasoning in its content.

    Most bodies do not.
    """
    return (
        b"reasoning" in body
        or b"think" in body
        or b"thought" in body
        or b"THINK" in body
        or b"<|channel" in body
        or b'"extra_content"' in body
        or b'"provider_specific_fields"' in body
    )


_ENDS = (
    r"<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|end_of_turn|END_OF_TURN_TOKEN)\|>"
    r"|</s>|<eos>|<end_of_turn>|<[|\uff5c]end\u2581of\u2581sentence[|\uff5c]>"
)
_BEGINS = r"<\|(?:im_start|start_header_id|user|assistant|start)\|>|<start_of_turn>|<s>|\[INST\]"
_AT_END = re.compile(rf"(?:\s*(?:{_ENDS}))+\s*$")
_INSIDE = re.compile(rf"(?:{_ENDS})\s*(?:{_BEGINS})")
_FINAL_CHANNEL = "<|channel|>"
"""Beginning of a part of a reply in Harmony's form.

The end of such a part does not end the reply.
"""


def strip_end_of_turn(words: str) -> str:
    """Return the words before the end-of-turn token; without a token they are unchanged."""
    if not (("<" in words or "[" in words) and _FINAL_CHANNEL not in words):
        return words
    inside = _INSIDE.search(words)
    if inside is not None:
        return words[: inside.start()].rstrip()
    at_end = _AT_END.search(words[-_MOST_MARKS:])
    return words if at_end is None else words[: len(words) - len(at_end.group())]


_MOST_MARKS = 400
"""Length of the end of a text that is searched for end-of-turn tokens, in characters.

Some replies end with several tokens.
"""
