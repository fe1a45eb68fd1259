"""Documents in prompts are described as their tools are shown."""

import msgspec

from dragoman.benchmarks.bfcl.native_tools import localize_documents, native_tools
from dragoman.benchmarks.bfcl.prompts import ShownDocument

NOTE = " This is a float."
ENGLISH = ShownDocument(
    "math.area",
    "Computes an area.",
    {
        "type": "dict",
        "properties": {
            "side": {"type": "float", "description": "The side."},
            "bare": {"type": "float"},
            "unit": {"type": "string", "enum": ["metre", "foot"], "default": "metre"},
            "points": {
                "type": "array",
                "items": {
                    "type": "dict",
                    "properties": {"x": {"type": "float", "description": "X."}},
                },
            },
        },
        "required": ["side"],
    },
    {"type": "dict", "description": "What it returns."},
)


def changed(document: ShownDocument) -> ShownDocument:
    """Return the document with other texts, as a translation has them."""
    text = msgspec.json.encode(document).decode()
    for english, other in (
        ("Computes an area.", "คำนวณ"),
        ("The side.", "ด้าน"),
        ("metre", "เมตร"),
        ('"X."', '"เอ็กซ์"'),
    ):
        text = text.replace(english, other)
    return msgspec.json.decode(text, type=ShownDocument)


def test_a_document_is_the_same_as_what_its_own_tool_shows() -> None:
    assert localize_documents([ENGLISH], native_tools([ENGLISH], NOTE), NOTE) == (ENGLISH,)
    assert localize_documents([ENGLISH], (), NOTE) == (ENGLISH,)


def test_texts_of_tools_stand_in_documents_at_any_depth_and_types_stay() -> None:
    thai = changed(ENGLISH)
    assert thai != ENGLISH
    assert localize_documents([ENGLISH], native_tools([thai], NOTE), NOTE) == (thai,)
