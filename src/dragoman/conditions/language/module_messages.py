"""What tools say, from the text of the module that holds it: it is parsed and never run."""

import ast
import re

from dragoman.conditions.language.artifacts import Template, ToolReturns, TranslatedMessage
from dragoman.conditions.language.messages import pattern_of, placeholders
from dragoman.core.errors import DataError

CONSTANT = "TOOL_RETURN_MESSAGES"
"""The constant of a module of tools that holds messages by key, as in SEATauBench."""

_NAMED = re.compile(rf"\b{CONSTANT}\b")


def messages_of_module(text: str, where: str) -> ToolReturns:
    """Return the messages in a module's constant; nothing where it has none.

    Args:
        text: The module.
        where: The module, for messages.

    Raises:
        DataError: Where it is no Python.
    """
    if not _NAMED.search(text):
        return ToolReturns()
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{where}: not valid Python: {reason}") from error
    found = _constant(module)
    return ToolReturns(
        exact={
            key: TranslatedMessage(source, source)
            for key, source in found.items()
            if not placeholders(source)
        },
        templates={
            key: Template(pattern_of(source), source, source)
            for key, source in found.items()
            if placeholders(source)
        },
    )


def _constant(module: ast.Module) -> dict[str, str]:
    """Return the texts of the constant by their keys; what is no text is left out."""
    for node in module.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value)
            ) if name == CONSTANT:
                return {
                    key.value: text.value
                    for key, text in zip(value.keys, value.values, strict=True)
                    if isinstance(key, ast.Constant)
                    and isinstance(key.value, str)
                    and isinstance(text, ast.Constant)
                    and isinstance(text.value, str)
                }
    return {}
