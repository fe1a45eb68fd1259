"""An operation as models that build data are told of it."""

from collections.abc import Mapping

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation

_LONGEST = 800


def described(document: ApiDocument, operation: Operation) -> dict[str, object]:
    """Return what a model may know of an operation: no address, nothing that it answered."""
    return {
        "name": operation.name,
        "of": document.tool_name,
        "country": document.country,
        "description": _short(operation.description or document.tool_description),
        "required_parameters": [_parameter(each) for each in operation.required_parameters],
        "optional_parameters": [_parameter(each) for each in operation.optional_parameters],
    }


def _parameter(parameter: ApiParameter) -> dict[str, object]:
    found: dict[str, object] = {
        "name": parameter.name,
        "type": parameter.type,
        "description": _short(parameter.description),
        "example": parameter.example,
        "default": parameter.default,
        "enum": _listed(parameter.schema),
    }
    return {name: value for name, value in found.items() if value not in (None, "")}


def _listed(schema: Mapping[str, object]) -> object:
    listed = schema.get("enum")
    return listed[:50] if isinstance(listed, list) else None


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
