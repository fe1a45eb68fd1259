"""Function documents as their tools are shown: what a language changes of tools, prompts have too."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from dragoman.benchmarks.bfcl.prompts.documents import Document, Schema, properties_of, type_of
from dragoman.benchmarks.bfcl.prompts.native_tools import native_names
from dragoman.core.tools import ToolSpec

_VALUES = ("enum", "default")


def as_shown(
    documents: Sequence[Document], tools: Iterable[ToolSpec], float_note: str
) -> tuple[Document, ...]:
    """Return documents with the descriptions and listed values of the tools that they are shown as.

    Args:
        documents: The documents, with the notes that their tools have.
        tools: The tools; a document without one stays as it is.
        float_note: What tools add to the description of a parameter that is no whole number.
    """
    by_name = {tool.name: tool for tool in tools}
    shown = _Shown(float_note)
    return tuple(
        document if (tool := by_name.get(name)) is None else shown.document(document, tool)
        for name, document in zip(
            native_names(document.name for document in documents), documents, strict=True
        )
    )


class _Shown(NamedTuple):
    float_note: str

    def document(self, document: Document, tool: ToolSpec) -> Document:
        parameters = self.schema(document.parameters, tool.parameters)
        return msgspec.structs.replace(
            document, description=tool.description, parameters=parameters
        )

    def schema(self, schema: Schema, shown: Mapping[str, object]) -> Schema:
        """Return a schema with the texts of another one that differs in texts and names of types."""
        changed = {key: shown[key] for key in _VALUES if key in schema and key in shown}
        if "description" in schema:
            changed["description"] = self._description(schema, shown)
        if "properties" in schema:
            others = properties_of(dict(shown))
            changed["properties"] = {
                name: self.schema(inner, others.get(name, inner))
                for name, inner in properties_of(schema).items()
            }
        if "items" in schema:
            inner = msgspec.convert(schema["items"], Schema)
            changed["items"] = self.schema(
                inner, msgspec.convert(shown.get("items", inner), Schema)
            )
        return {key: changed.get(key, value) for key, value in schema.items()}

    def _description(self, schema: Schema, shown: Mapping[str, object]) -> object:
        text = shown.get("description", schema["description"])
        if type_of(schema) == "float" and isinstance(text, str):
            return text.removesuffix(self.float_note)
        return text
