"""Calls in Java and JavaScript text: `[f(a=1, b=new int[]{1, 2})]`."""

from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.python_calls import NAMELESS
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.source_code.literals import expression_source, is_text, string_value
from dragoman.benchmarks.bfcl.source_code.parser import Statement, grammar_for
from dragoman.benchmarks.bfcl.source_code.rendering import ReferenceRenderer
from dragoman.benchmarks.bfcl.source_code.tokenizer import (
    Node,
    SourceCode,
    SourceLanguage,
    tokenize,
)
from dragoman.core.tools import ToolCall

_REPAIRABLE_BYTES = 11
"""From this length on the reference's parser takes a missing semicolon for granted."""


def read_java_calls(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of Java text in brackets; UnreadableError where there are none."""
    return _read(text, "java", rules)


def read_javascript_calls(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of JavaScript text in brackets; UnreadableError where there are none."""
    return _read(text, "javascript", rules)


def _read(text: str, language: SourceLanguage, rules: BfclRules) -> tuple[ToolCall, ...]:
    try:
        return _calls(tokenize(text[1:-1], language), rules)
    except RecursionError as error:
        raise UnreadableError("chained too long") from error


def _calls(source: SourceCode, rules: BfclRules) -> tuple[ToolCall, ...]:
    statements = grammar_for(source).statements()
    if rules.source_is_read_as_written:
        return tuple(_call(node, source) for node in _list_expressions(statements))
    if source.language == "java":
        _refuse_unrepaired(statements, source)
        first = next(filter(None, (_first_call(node) for node in _expressions(statements))), None)
    else:
        calls = (node for node in _expressions(statements) if node.kind == "call")
        first = next(calls, None)
    if first is None:
        raise UnreadableError("no call", is_format=True)
    return (_reference_call(first, source),)


def _expressions(statements: list[Statement]) -> list[Node]:
    return [statement.expression for statement in statements if statement.expression is not None]


def _list_expressions(statements: list[Statement]) -> list[Node]:
    """Return the expressions of all statements; comma-separated ones are returned singly."""
    if any(statement.expression is None for statement in statements):
        raise UnreadableError("a statement is not a call")
    return [
        part
        for node in _expressions(statements)
        for part in (node.parts if node.kind == "sequence" else (node,))
    ]


def _call(node: Node, source: SourceCode) -> ToolCall:
    """Return a call as it is written, each argument as the source text of its value."""
    if node.kind != "call":
        raise UnreadableError(f"{expression_source(node, source):.100} is not a call")
    callee, *arguments = node.parts
    named: dict[str, object] = {}
    positionals: list[object] = []
    for argument in arguments:
        if argument.kind != "assign":
            positionals.append(_argument(argument, source))
            continue
        name = _plain_name(argument.parts[0], source)
        if argument.mark != "=" or name in named:
            raise UnreadableError(f"argument {name} is given twice or changed")
        named[name] = _argument(argument.parts[1], source)
    name, raw = _plain_name(callee, source), expression_source(node, source)
    return ToolCall("", name, named, positionals=tuple(positionals), raw=raw)


def _plain_name(node: Node, source: SourceCode) -> str:
    """Return a dotted name, or raise UnreadableError."""
    inner = node
    while inner.kind == "member":
        inner = inner.parts[0]
    if inner.kind != "name":
        raise UnreadableError(f"{expression_source(node, source):.100} is not a plain name")
    return "".join(token.text for token in source.tokens[node.first : node.last])


def _argument(node: Node, source: SourceCode) -> str:
    """Return the source text of a value; for a string, that is its content."""
    return string_value(node, source) if is_text(node, source) else expression_source(node, source)


def _refuse_unrepaired(statements: list[Statement], source: SourceCode) -> None:
    """Refuse what the reference's parser does not repair: commas, a short statement left open."""
    if any(node.kind == "sequence" for node in _expressions(statements)):
        raise UnreadableError("Java has no commas between calls")
    if len(statements) != 1 or statements[0].is_closed:
        return
    first, last = statements[0].first, statements[0].last
    text = source.text[source.tokens[first].start : source.tokens[last - 1].end]
    if "\n" not in text and len(text.encode(errors="replace")) < _REPAIRABLE_BYTES:
        raise UnreadableError("too short for the reference's parser")


def _first_call(node: Node) -> Node | None:
    """Return the first call from the outside in."""
    queue = [node]
    while queue:
        node = queue.pop()
        if node.kind == "call":
            return node
        queue.extend(reversed(node.parts))
    return None


def _reference_call(node: Node, source: SourceCode) -> ToolCall:
    """Return a call as the reference has it: texts without spaces, shifted beyond ASCII."""
    shown = ReferenceRenderer(source)
    arguments: dict[str, object] = {}
    for argument in node.parts[1:]:
        if argument.kind == "assign":
            name, value = shown.raw(argument.parts[0]), shown.argument(argument.parts[1])
        elif shown.is_bare(argument):
            name, value = NAMELESS, shown.raw(argument)
        else:
            continue
        if name in arguments:
            raise UnreadableError(f"argument {name!r} is given twice")
        arguments[name] = value
    return ToolCall("", shown.name(node.parts[0]), arguments, raw=expression_source(node, source))
