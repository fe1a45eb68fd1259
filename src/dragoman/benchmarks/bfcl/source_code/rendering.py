"""Values as Java or JavaScript source text, the way a fluent agent would write them."""

import json
from collections.abc import Callable, Mapping

from dragoman.benchmarks.bfcl.questions import ParameterSchema
from dragoman.benchmarks.bfcl.source_code.tokens import SourceLanguage

_JAVA_ELEMENTS = {"integer": "int", "any": "Object"}
_JAVA_SUFFIXES = {"long": "L", "float": "f"}


def source_of(value: object, schema: ParameterSchema, language: SourceLanguage) -> str:
    """Return a value as the source text of an argument of that type.

    A text is its own source: names of variables and expressions are texts in BFCL's answers.
    """
    if isinstance(value, str):
        return value
    return _RENDERERS[language](value, schema)


def _java(value: object, schema: ParameterSchema) -> str:
    match value:
        case list():
            return _java_list(value, schema)
        case dict():
            puts = "".join(
                f" put({_java_literal(k)}, {_java_literal(v)});" for k, v in value.items()
            )
            return f"new HashMap<String, Object>() {{{{{puts} }}}}" if puts else "new HashMap<>()"
        case _:
            return _java_literal(value) + _JAVA_SUFFIXES.get(schema.type or "", "")


def _java_list(values: list[object], schema: ParameterSchema) -> str:
    kind = (schema.items.type if schema.items is not None else None) or "any"
    suffix = _JAVA_SUFFIXES.get(kind, "")
    written = ", ".join(_java_literal(value) + suffix for value in values)
    if schema.type == "Array":
        return f"new {_JAVA_ELEMENTS.get(kind, kind)}[]{{{written}}}"
    boxed = {"integer": "Integer", "long": "Long", "any": "Object"}.get(kind, kind)
    return f"new ArrayList<{boxed}>(Arrays.asList({written}))"


def _java_literal(value: object) -> str:
    match value:
        case list():
            return f"Arrays.asList({', '.join(map(_java_literal, value))})"
        case dict():
            return _java(value, ParameterSchema("HashMap"))
        case _:
            return json.dumps(value, ensure_ascii=False)


def _javascript(value: object, schema: ParameterSchema) -> str:
    suffix = "n" if schema.type == "Bigint" else ""
    return _javascript_literal(value) + suffix


def _javascript_literal(value: object) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_javascript_literal, value))}]"
        case dict():
            pairs = (f"{json.dumps(k)}: {_javascript_literal(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        case _:
            return json.dumps(value, ensure_ascii=False)


_RENDERERS: Mapping[SourceLanguage, Callable[[object, ParameterSchema], str]] = {
    "java": _java,
    "javascript": _javascript,
}
