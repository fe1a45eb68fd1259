"""Parser of tool calls that a model wrote in its text, in every known template syntax."""

import ast
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice

import msgspec

from dragoman.core.texts.decoding import is_nested_too_deeply
from dragoman.core.texts.model_output import separate_reasoning
from dragoman.core.tools import ToolCall

MAX_CHARS = 100_000
"""Length of the beginning of a reply that is searched, in characters."""

MAX_CALLS = 100
"""Largest number of calls that are returned for one reply."""

MAX_NAME = 200
MAX_RAW = 2_000
MAX_CODE = 4_000
"""Longest code that is parsed, in characters."""

_MAX_LINES = 200


class CallsInText(msgspec.Struct, frozen=True):
    """The calls in a reply's text.

    Attributes:
        syntax: The name of the syntax, one of `SYNTAXES` or `BARE_SYNTAXES`.
        calls: The calls; `malformed` gives the reason for unreadable arguments.
    """

    syntax: str
    calls: tuple[ToolCall, ...]


class _Found(msgspec.Struct, frozen=True):
    """A name with its arguments: a mapping, or a text that does not form one."""

    name: str
    arguments: object = None


_NAME_KEYS = ("name", "tool_name", "function_name", "function", "tool", "action", "recipient_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "params", "args", "action_input", "input", "kwargs")
_NOBODY = frozenset({"", "none", "null", "n/a", "no_function", "no_tool", "directly_answer"})
"""Names by which models say that they call nothing."""

_decode_at = json.JSONDecoder().raw_decode
_MAYBE = re.compile(r"[<\[{]|\w\(|to=|Action:")
_PLAIN = str.maketrans({"\uff5c": "|", "\u2581": "_", "\u00a0": " "})
_ENDINGS = re.compile(
    r"(?:\s|<\|(?:eom_id|eot_id|im_end|end_of_text|end|call|endoftext)\|>|</s>|<eos>"
    r"|<end_of_turn>)++\Z"
)
_FENCE = re.compile(r"```(?:[\w-]{0,20}[ \t]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
_N = r"[^\s<>\[\](){}\"'`|,;:]"
_NAME = rf"(?:functions\.)?({_N}{{1,{MAX_NAME}}}?)"

_TAG = re.compile(
    r"<\|?(?:\w{1,20}[:_])?(?:tool|function)_?calls?(?:_start|_begin)?\|?>"
    r"|<\|(?:python_tag|START_ACTION|action_start|plugin|tools_prefix|tool_call)\|>"
    r"|<function>|<tool_use>|\[TOOL_CALLS\]|\bfunctools(?=\s*\[)",
    re.IGNORECASE,
)
_NAMED_TAG = re.compile(
    r"<(?:function|tool|tool_call|action|call)\s{1,9}name\s{0,9}=\s{0,9}[\"']?"
    + _NAME
    + r"[\"'\s/>]"
)
_FUNCTION_IS = re.compile(r"<(?:function|tool)=[\"']?" + _NAME + r"[\"']?\s{0,9}[>{(]")
_INVOKE = re.compile(
    r"<(?:\|DSML\|)?(?:\w{1,20}:)?invoke\s{1,9}name\s{0,9}=\s{0,9}[\"']" + _NAME + r"[\"']"
)
_PARAMETER = re.compile(
    r"<(?:\|DSML\|)?(?:\w{1,20}:)?(?:parameter|param)(?:=|\s{1,9}name\s{0,9}=\s{0,9})[\"']?"
    r"([^\"'>\s]{1,200})[\"']?[^>]{0,100}>(.*?)(?=</|<(?:\|DSML\|)?parameter|\Z)",
    re.DOTALL,
)
_ARG_KEY = re.compile(
    r"<arg_key>(.{1,200}?)</arg_key>\s{0,99}<arg_value>(.*?)(?=</arg_value>|<arg_key>|\Z)",
    re.DOTALL,
)
_FALCON_ARGUMENTS = re.compile(r"[^>]{0,300}?\barguments\s{0,9}=\s{0,9}[\"']?(?=\{)")
_HARMONY = re.compile(
    r"(?:\bto=functions\."
    + _NAME
    + r"|(?:<\|channel\|>\s*\w{0,20}|commentary)\s{1,9}to="
    + _NAME
    + r")"
    r"(?=[\s<{]|\Z)"
)
_HARMONY_BODY = re.compile(r"[^{]{0,200}?(?=\{)")
_TOKEN_CALL = re.compile(
    r"<\|tool_call_begin\|>\s{0,9}(?:function\s{0,9}<\|tool_sep\|>\s{0,9})?"
    + _NAME
    + r"(?::\d{1,6})?\s{0,9}(?=<\||\n|\{|\Z)"
)
_TOKEN_BODY = re.compile(r"(?:\s|<\|[\w ]{1,40}\|>|```(?:json)?){0,20}(?=\{)")
_KIMI_BARE = re.compile(
    r"(?<![\w.])functions\." + _NAME + r":\d{1,6}\s{0,9}(?:<\|[^>]{1,40}\|>\s{0,9})?(?=\{)"
)
_DEEPSEEK_BARE = re.compile(r"\bfunction\s?" + _NAME + r"\n```json\n(?=\{)")
_GEMMA = re.compile(r"call:" + _NAME + r"(?=\{)")
_NAME_BEFORE_JSON = re.compile(
    r"\s{0,99}" + _NAME + r"\s{0,9}(?:\[(?:ARGS|CALL_ID)\][^{]{0,40})?\s{0,9}(?=\{)"
)
_NAME_BEFORE_KEYS = re.compile(r"\s{0,99}" + _NAME + r"\s{0,99}(?=<arg_key>|</tool_call>)")
_CALL_BEGINS = re.compile(r"\s{0,99}\[?\s{0,99}" + _NAME + r"\(")
_LISTED_CALL = re.compile(r"[ \t]{0,99}\[[ \t]{0,99}" + _NAME + r"\(")
_JSON_NAME = re.compile(
    r"\{\s{0,99}(?:[\"'](?:id"
    r"|type)[\"']\s{0,9}:\s{0,9}[\"'][^\"']{0,100}[\"']\s{0,9},\s{0,99}){0,2}"
    r"[\"'](?:" + "|".join(_NAME_KEYS) + r")[\"']\s{0,9}:\s{0,9}[\"']" + _NAME + r"[\"']"
)
_JSON_ARGUMENTS = re.compile(
    r"\s{0,99},\s{0,99}[\"'](?:" + "|".join(_ARGUMENT_KEYS) + r")[\"']\s{0,9}:"
)
_REACT = re.compile(
    r"^[ \t*]{0,9}Action:[ \t*]{0,9}"
    + _NAME
    + r"[ \t]{0,9}\n\s{0,99}\**Action Input:\**\s{0,99}(?:```(?:json)?\s{0,9})?",
    re.MULTILINE,
)
_NAME_ELEMENT = re.compile(r"<(?:tool_name|function_name|name)>\s{0,9}" + _NAME + r"\s{0,9}</")
_ELEMENT = re.compile(r"<" + _NAME + r">")


class _Reply:
    """A text, with the offered tools that are searched for in it."""

    def __init__(self, text: str, tool_names: Collection[str]) -> None:
        self.text = text
        self.folded = text.casefold()
        self._offered = {_key(name) for name in tool_names}
        self.alone = _ENDINGS.sub("", text[-200:])
        self.alone = (text[:-200] + self.alone).strip()

    @property
    def mentions_tools(self) -> bool:
        """Whether the text contains an offered tool's name."""
        spelled = _key(self.text)
        return any(name in spelled for name in self._offered)

    def offers(self, name: str) -> bool:
        """Return whether a tool of that name is offered, with any separators in the name."""
        return _key(name) in self._offered


Read = Callable[[_Reply], Iterable[_Found]]


def parse_text_calls(text: str, tool_names: Collection[str]) -> CallsInText | None:
    """Return the calls in a reply's text, with the name of their syntax, or None.

    An empty list of calls does not count as a call, and neither does the description of a tool.
    Only the beginning of a text that is too long is searched. The time grows linearly with the
    text's length.

    Args:
        text: The words of the reply.
        tool_names: The names of the offered tools, as the model saw them.
    """
    if _MAYBE.search(text, 0, MAX_CHARS) is None:
        return None
    reply = _Reply(separate_reasoning(text[:MAX_CHARS]).words.translate(_PLAIN), tool_names)
    syntaxes = SYNTAXES | BARE_SYNTAXES if reply.mentions_tools else SYNTAXES
    for syntax, (mark, read) in syntaxes.items():
        if mark.casefold() not in reply.folded:
            continue
        found = (each for each in read(reply) if _key(each.name) not in _NOBODY)
        calls = tuple(_call(each, n) for n, each in enumerate(islice(found, MAX_CALLS)))
        if calls:
            return CallsInText(syntax, calls)
    return None


def _key(name: str) -> str:
    """Return the common form of all spellings of a tool's name."""
    return re.sub(r"[.\-/]", "_", name.strip().removeprefix("functions.")).casefold()


def _call(found: _Found, number: int) -> ToolCall:
    given = found.arguments
    if isinstance(given, str):
        given = _read_json(given) if given.strip() else {}
    name = found.name.strip()[:MAX_NAME]
    if isinstance(given, dict) and not is_nested_too_deeply(given):
        return ToolCall(f"text_{number}", name, {str(key): value for key, value in given.items()})
    raw = found.arguments if isinstance(found.arguments, str) else ""
    return ToolCall(
        f"text_{number}", name, {}, raw=raw[:MAX_RAW], malformed="the arguments cannot be read"
    )


def _read_json(text: str) -> object:
    """Return the JSON value at a text's beginning; None if there is none."""
    try:
        value, _ = _decode_at(text.lstrip())
    except (ValueError, RecursionError):
        return None
    return value


def _json_values(text: str, at: int) -> tuple[list[object], int]:
    """Return the consecutive JSON values from a position on, and the position of their end."""
    values: list[object] = []
    while len(values) < MAX_CALLS:
        while at < len(text) and text[at] in " \t\r\n,;":
            at += 1
        if at >= len(text) or text[at] not in "[{":
            break
        try:
            value, at = _decode_at(text, at)
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values, at


def _in_values(values: Iterable[object]) -> Iterator[_Found]:
    """Yield the calls in JSON values.

    These are objects that name a tool, lists of them, and objects that hold them.
    """
    for value in values:
        if isinstance(value, list):
            yield from _in_values(each for each in value if isinstance(each, dict))
        elif isinstance(value, dict):
            yield from _in_object(value)


def _in_object(value: Mapping[str, object]) -> Iterator[_Found]:
    listed = value.get("tool_calls")
    inner = value.get("function")
    if isinstance(listed, list):
        yield from _in_values(each for each in listed if isinstance(each, dict))
        return
    fields = inner if isinstance(inner, dict) else value
    name = next((fields[key] for key in _NAME_KEYS if isinstance(fields.get(key), str)), None)
    keys = [key for key in _ARGUMENT_KEYS if key in fields]
    if isinstance(name, str) and not _is_description(fields):
        yield _Found(name, fields[keys[0]] if keys else {})


def _is_description(fields: Mapping[str, object]) -> bool:
    """Return whether an object describes a tool and does not call it."""
    schema = fields.get("parameters")
    has_schema = isinstance(schema, dict) and "properties" in schema and "type" in schema
    return "description" in fields or has_schema


def _in_tags(reply: _Reply) -> Iterator[_Found]:
    """Yield the calls behind tags and tokens that begin calls, in any form."""
    text, end = reply.text, 0
    for tag in islice(_TAG.finditer(text), MAX_CALLS):
        if tag.end() < end:
            continue
        found, end = _behind_tag(reply, tag.end())
        yield from found


def _behind_tag(reply: _Reply, at: int) -> tuple[list[_Found], int]:
    text = reply.text
    while (inner := _TAG.match(text, at)) or text[at : at + 1].isspace():
        at = inner.end() if inner else at + 1
    if text.startswith("```", at):
        at += len("```json") if text.startswith("```json", at) else len("```")
        while text[at : at + 1].isspace():
            at += 1
    values, end = _json_values(text, at)
    if values:
        return [*_in_values(values), *_by_key(reply, values)], end
    if (cut := _JSON_NAME.match(text, at + text.startswith("[", at))) is not None:
        return [_Found(cut[1], _rest(text, at))], cut.end()
    if (named := _NAME_BEFORE_JSON.match(text, at)) is not None:
        values, end = _json_values(text, named.end())
        return [_Found(named[1], values[0] if values else _rest(text, named.end()))], end
    if (keyed := _NAME_BEFORE_KEYS.match(text, at)) is not None:
        pairs = _ARG_KEY.findall(text, keyed.end(), keyed.end() + MAX_RAW)
        if pairs or reply.offers(keyed[1]):
            given = {key.strip(): _value_of(value) for key, value in pairs[:MAX_CALLS]}
            return [_Found(keyed[1], given)], keyed.end()
    if (called := _CALL_BEGINS.match(text, at)) is not None and _is_name(called[1]):
        code = re.split(r"<[|/]|\[/", text[at : at + MAX_CODE], maxsplit=1)[0]
        return _code_calls(code) or [_Found(called[1])], called.end()
    return [], at


def _rest(text: str, at: int) -> str:
    return text[at : at + MAX_RAW]


def _value_of(text: str) -> object:
    """Return a value between tags.

    It is JSON if all of it is, otherwise text, such as 01310930.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()


def _in_named_tags(reply: _Reply) -> Iterator[_Found]:
    for tag in _NAMED_TAG.finditer(reply.text):
        given = _FALCON_ARGUMENTS.match(reply.text, tag.end() - 1)
        at = tag.end() if given is None else given.end()
        body = re.match(r"[^{<]{0,40}>?\s{0,99}(?=\{)", reply.text[at : at + 200])
        at += body.end() if body else 0
        values, _ = _json_values(reply.text, at)
        yield _Found(tag[1], values[0] if values else _parameters(reply.text, tag.end()))


def _in_function_tags(reply: _Reply) -> Iterator[_Found]:
    for tag in _FUNCTION_IS.finditer(reply.text):
        at = tag.end() - (not tag[0].endswith(">"))
        values, _ = _json_values(reply.text, at)
        yield _Found(tag[1], values[0] if values else _parameters(reply.text, at))


def _in_invocations(reply: _Reply) -> Iterator[_Found]:
    for tag in _INVOKE.finditer(reply.text):
        yield _Found(tag[1], _parameters(reply.text, tag.end()))


def _parameters(text: str, at: int) -> dict[str, object]:
    """Return the contents of parameter elements, up to the end of their call."""
    body = text[at : at + MAX_CODE]
    ends = re.search(
        r"</(?:\|DSML\|)?(?:\w{1,20}:)?(?:invoke|function|tool_call)>|<function=", body
    )
    pairs = _PARAMETER.findall(body, 0, ends.start() if ends else len(body))
    return {name: _value_of(value) for name, value in pairs[:MAX_CALLS]}


def _in_harmony(reply: _Reply) -> Iterator[_Found]:
    for to in _HARMONY.finditer(reply.text):
        body = _HARMONY_BODY.match(reply.text, to.end())
        values, _ = _json_values(reply.text, body.end()) if body else ([], 0)
        yield _Found(to[1] or to[2], values[0] if values else {})


def _in_token_calls(reply: _Reply) -> Iterator[_Found]:
    for begins in _TOKEN_CALL.finditer(reply.text):
        yield _Found(begins[1], _after_tokens(reply.text, begins.end()))


def _after_tokens(text: str, at: int) -> object:
    body = _TOKEN_BODY.match(text, at)
    values, _ = _json_values(text, body.end()) if body else ([], 0)
    return values[0] if values else _rest(text, at)


def _in_bare_names(reply: _Reply) -> Iterator[_Found]:
    """Yield calls without tokens, which a server dropped, from names and arguments."""
    for pattern in (_KIMI_BARE, _DEEPSEEK_BARE):
        for named in pattern.finditer(reply.text):
            if reply.offers(named[1]):
                yield _Found(named[1], _after_tokens(reply.text, named.end()))
    named_alone = _NAME_BEFORE_JSON.match(reply.alone)
    if named_alone is not None and reply.offers(named_alone[1]):
        yield _Found(named_alone[1], _after_tokens(reply.alone, named_alone.end()))


def _in_gemma(reply: _Reply) -> Iterator[_Found]:
    for named in _GEMMA.finditer(reply.text):
        yield _Found(named[1], _rest(reply.text, named.end()))


def _in_react(reply: _Reply) -> Iterator[_Found]:
    for action in _REACT.finditer(reply.text):
        if reply.offers(action[1]):
            yield _Found(action[1], _rest(reply.text, action.end()))


def _in_elements(reply: _Reply) -> Iterator[_Found]:
    for named in _NAME_ELEMENT.finditer(reply.text):
        if reply.offers(named[1]):
            yield _Found(named[1], _parameters(reply.text, named.end()))
    for opened in islice(_ELEMENT.finditer(reply.text), MAX_CALLS):
        name, ends = opened[1], reply.text.find(f"</{opened[1]}>", opened.end())
        if ends >= 0 and reply.offers(name):
            inside = reply.text[opened.end() : min(ends, opened.end() + MAX_CODE)]
            pairs = re.findall(r"<([\w.-]{1,200})>(.*?)</", inside, re.DOTALL)
            yield _Found(name, {key: _value_of(value) for key, value in pairs[:MAX_CALLS]})


def _in_json(reply: _Reply) -> Iterator[_Found]:
    """Yield objects with an offered tool's name and its arguments, at any position."""
    for inside in (reply.alone, *_find_fenced_blocks(reply)):
        values, end = _json_values(inside.strip(), 0)
        if values and end == len(inside.strip()):
            found = [each for each in _in_values(values) if reply.offers(each.name)]
            found += _by_key(reply, values)
            if found:
                yield from found
                return
    text, end = reply.text, 0
    for named in islice(_JSON_NAME.finditer(text), MAX_CALLS):
        if named.start() < end or not reply.offers(named[1]):
            continue
        values, end = _json_values(text, named.start())
        if values:
            yield from (each for each in _in_values(values[:1]) if _has_arguments(values[0]))
        elif _JSON_ARGUMENTS.match(text, named.end()) is not None:
            yield _Found(named[1], _rest(text, named.start()))


def _by_key(reply: _Reply, values: Iterable[object]) -> Iterator[_Found]:
    """Yield objects whose only key is an offered tool and whose value is its arguments."""
    for value in values:
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, dict) and len(each) == 1:
                ((name, given),) = each.items()
                if reply.offers(name) and isinstance(given, dict):
                    yield _Found(name, given)


def _has_arguments(value: object) -> bool:
    return isinstance(value, dict) and any(key in value for key in _ARGUMENT_KEYS)


def _find_fenced_blocks(reply: _Reply) -> list[str]:
    return [found[1] for found in islice(_FENCE.finditer(reply.text), MAX_CALLS)]


def _in_code(reply: _Reply) -> Iterator[_Found]:
    """Yield calls of offered tools that form a whole reply, fence or line."""
    whole = _code_calls(reply.alone)
    pieces = [reply.alone, *_find_fenced_blocks(reply)]
    lines = [
        each for each in reply.text.splitlines()[:_MAX_LINES] if each.strip().endswith((")", "]"))
    ]
    for piece in (*pieces, *lines):
        found = whole if piece is reply.alone else _code_calls(piece)
        if found and all(reply.offers(each.name) for each in found):
            is_said = piece in lines and any(each.arguments in ({}, None) for each in found)
            if not is_said:
                yield from found
                return
    for piece in pieces:
        begins = _LISTED_CALL.match(piece)
        if begins is not None and reply.offers(begins[1]):
            yield _Found(begins[1])
            return


def _code_calls(code: str) -> list[_Found]:
    """Return the calls in Python code that has only calls; an empty list for other code."""
    code = code.strip()
    if not code.endswith((")", "]")) or len(code) > MAX_CODE:
        return []
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    found: list[_Found] = []
    for statement in body:
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        for each in value.elts if isinstance(value, ast.List | ast.Tuple) else (value,):
            call = _code_call(each)
            if call is None:
                return []
            found.append(call)
    return found


def _code_call(value: ast.expr | None) -> _Found | None:
    """Return a call with literal arguments, also one that is printed or awaited."""
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call):
        return None
    name = _dotted_name(value.func)
    if name == "print" and len(value.args) == 1 and not value.keywords:
        return _code_call(value.args[0])
    if not name or any(keyword.arg is None for keyword in value.keywords):
        return None
    try:
        given = {str(each.arg): ast.literal_eval(each.value) for each in value.keywords}
        placed = [ast.literal_eval(each) for each in value.args]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    given |= {f"argument {number}": each for number, each in enumerate(placed, 1)}
    return _Found(name.removeprefix("default_api."), given)


def _dotted_name(value: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    return ".".join(reversed([*parts, value.id])) if isinstance(value, ast.Name) else ""


def _is_name(name: str) -> bool:
    return name.replace(".", "_").replace("-", "_").isidentifier()


SYNTAXES: dict[str, tuple[str, Read]] = {
    "qwen_xml": ("<parameter=", _in_function_tags),
    "function_tag": ("=", _in_function_tags),
    "invoke": ("invoke", _in_invocations),
    "falcon": ("name", _in_named_tags),
    "deepseek": ("<|tool_sep|>", _in_token_calls),
    "kimi": ("<|tool_call_begin|>", _in_token_calls),
    "harmony": ("to=", _in_harmony),
    "function_gemma": ("<start_function_call>", _in_gemma),
    "glm": ("<arg_key>", _in_tags),
    "mistral": ("[TOOL_CALLS]", _in_tags),
    "python_tag": ("<|python_tag|>", _in_tags),
    "functools": ("functools", _in_tags),
    "granite": ("<|tool_call|>", _in_tags),
    "nemotron": ("<TOOLCALL>", _in_tags),
    "command": ("<|START_ACTION|>", _in_tags),
    "lfm2": ("<|tool_call_start|>", _in_tags),
    "hermes": ("<tool_call>", _in_tags),
    "tag": ("<", _in_tags),
}
"""The syntaxes with marks of their own, by name.

Each has the mark without which no text has the syntax, and its reader.
"""

BARE_SYNTAXES: dict[str, tuple[str, Read]] = {
    "bare_name": ("{", _in_bare_names),
    "react": ("action:", _in_react),
    "json": ("{", _in_json),
    "python": ("(", _in_code),
    "element": ("<", _in_elements),
}
"""The syntaxes without marks of their own; only calls of offered tools count in them."""
