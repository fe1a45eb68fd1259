import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.tool_schemas import tool_docstrings, tool_kinds, tool_schemas
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import MAX_SOURCE

MODELS = '''
"""Types of a made-up library desk."""
import datetime
from enum import Enum
from typing import Annotated, Any, ClassVar, Dict, List, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field
from somewhere import BaseModelNoExtra

Genre = Literal["novel", "poetry"]
Mood = Annotated[Literal["calm", "loud"], Field(description="How it reads")]
Reader = Union["Guest", None, str]
LIMIT = 7


class Shelf(str, Enum):
    """Where a book
    stands."""

    LOW = "low"
    HIGH = "high"


class Floor(Enum):
    GROUND = 0
    ATTIC = "attic"


class Item(BaseModelNoExtra):
    """A thing on loan.

    It has a name.
    """

    kinds: ClassVar[int] = 2
    _hidden: int = 1
    label: str = Field(description="What it " "says")
    shelf: Shelf = Field(Shelf.LOW, description="Where it stands")
    due: datetime.date | None = Field(default=None, validate_default=True)

    def late(self) -> bool:
        return False


class Book(Item):
    pages: int = 10
    label: Literal["book"]
    tags: List[str] = Field(default_factory=list, title="Words")


class Guest(BaseModel):
    friends: Dict[str, "Guest"]
    genre: Genre = Field(..., description="Taste")


class Open(Guest):
    model_config = ConfigDict(extra="allow")
    age: float


def load() -> Any:
    return LIMIT
'''

SHELF = {
    "description": "Where a book\nstands.",
    "enum": ["low", "high"],
    "title": "Shelf",
    "type": "string",
}
FLOOR = {"enum": [0, "attic"], "title": "Floor"}
ITEM = {
    "additionalProperties": False,
    "description": "A thing on loan.\n\nIt has a name.",
    "properties": {
        "label": {"description": "What it says", "title": "Label", "type": "string"},
        "shelf": {
            "$ref": "#/$defs/Shelf",
            "default": "low",
            "description": "Where it stands",
        },
        "due": {
            "anyOf": [{"format": "date", "type": "string"}, {"type": "null"}],
            "default": None,
            "title": "Due",
        },
    },
    "required": ["label"],
    "title": "Item",
    "type": "object",
}
BOOK = {
    "additionalProperties": False,
    "properties": {
        "label": {"const": "book", "title": "Label", "type": "string"},
        "shelf": ITEM["properties"]["shelf"],  # type: ignore[index]
        "due": ITEM["properties"]["due"],  # type: ignore[index]
        "pages": {"default": 10, "title": "Pages", "type": "integer"},
        "tags": {"items": {"type": "string"}, "title": "Words", "type": "array"},
    },
    "required": ["label"],
    "title": "Book",
    "type": "object",
}
FRIENDS = {
    "additionalProperties": {"$ref": "#/$defs/Guest"},
    "title": "Friends",
    "type": "object",
}
TASTE = {
    "description": "Taste",
    "enum": ["novel", "poetry"],
    "title": "Genre",
    "type": "string",
}
GUEST = {
    "properties": {"friends": FRIENDS, "genre": TASTE},
    "required": ["friends", "genre"],
    "title": "Guest",
    "type": "object",
}
OPEN = {
    "additionalProperties": True,
    "properties": {
        "friends": FRIENDS,
        "genre": TASTE,
        "age": {"title": "Age", "type": "number"},
    },
    "required": ["friends", "genre", "age"],
    "title": "Open",
    "type": "object",
}
ANY_OBJECT = {"additionalProperties": True, "type": "object"}

TYPES: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("book_id: str", {"title": "Book Id", "type": "string"}, {}),
    ("x2: int", {"title": "X2", "type": "integer"}, {}),
    ("x: float", {"title": "X", "type": "number"}, {}),
    ("x: bool", {"title": "X", "type": "boolean"}, {}),
    ("x: Any", {"title": "X"}, {}),
    ("x: None", {"title": "X", "type": "null"}, {}),
    ("x: datetime.date", {"format": "date", "title": "X", "type": "string"}, {}),
    ("x: datetime.datetime", {"format": "date-time", "title": "X", "type": "string"}, {}),
    ("x: datetime.time", {"format": "time", "title": "X", "type": "string"}, {}),
    ("x: datetime.timedelta", {"format": "duration", "title": "X", "type": "string"}, {}),
    ("x: list", {"items": {}, "title": "X", "type": "array"}, {}),
    (
        "x: List[list[int]]",
        {"items": {"items": {"type": "integer"}, "type": "array"}, "title": "X", "type": "array"},
        {},
    ),
    (
        "x: set[str]",
        {"items": {"type": "string"}, "title": "X", "type": "array", "uniqueItems": True},
        {},
    ),
    ("x: dict", ANY_OBJECT | {"title": "X"}, {}),
    ("x: Dict[str, Any]", ANY_OBJECT | {"title": "X"}, {}),
    (
        "x: dict[int, float]",
        {"additionalProperties": {"type": "number"}, "title": "X", "type": "object"},
        {},
    ),
    (
        "x: dict[Genre, int]",
        {
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"enum": ["novel", "poetry"]},
            "title": "X",
            "type": "object",
        },
        {},
    ),
    (
        "x: dict[Shelf, int]",
        {
            "additionalProperties": {"type": "integer"},
            "propertyNames": {"$ref": "#/$defs/Shelf"},
            "title": "X",
            "type": "object",
        },
        {"Shelf": SHELF},
    ),
    ('x: Literal["a"]', {"const": "a", "title": "X", "type": "string"}, {}),
    ("x: Literal[2, -1, 2]", {"enum": [2, -1], "title": "X", "type": "integer"}, {}),
    ('x: Literal["a", True, None]', {"enum": ["a", True, None], "title": "X"}, {}),
    ("x: Genre", {"enum": ["novel", "poetry"], "title": "X", "type": "string"}, {}),
    (
        "x: Mood",
        {"description": "How it reads", "enum": ["calm", "loud"], "title": "X", "type": "string"},
        {},
    ),
    ('x: "Genre"', {"enum": ["novel", "poetry"], "title": "X", "type": "string"}, {}),
    ("x: int | str", {"anyOf": [{"type": "integer"}, {"type": "string"}], "title": "X"}, {}),
    (
        "x: Union[List[str], list[str]]",
        {"items": {"type": "string"}, "title": "X", "type": "array"},
        {},
    ),
    (
        "x: Union[None, int, Optional[str]]",
        {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}], "title": "X"},
        {},
    ),
    (
        "x: Optional[str] = None",
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "X"},
        {},
    ),
    ("x: int = LIMIT", {"default": 7, "title": "X", "type": "integer"}, {}),
    ("x: list = (1, 2)", {"default": [1, 2], "items": {}, "title": "X", "type": "array"}, {}),
    ("x: Shelf", {"$ref": "#/$defs/Shelf"}, {"Shelf": SHELF}),
    ("x: Shelf = Shelf.HIGH", {"$ref": "#/$defs/Shelf", "default": "high"}, {"Shelf": SHELF}),
    ("x: str = Shelf.HIGH.value", {"default": "high", "title": "X", "type": "string"}, {}),
    (
        "x: Union[Floor, int]",
        {"anyOf": [{"$ref": "#/$defs/Floor"}, {"type": "integer"}], "title": "X"},
        {"Floor": FLOOR},
    ),
    ("x: Item", {"$ref": "#/$defs/Item"}, {"Item": ITEM, "Shelf": SHELF}),
    (
        "x: Optional[Book]",
        {"anyOf": [{"$ref": "#/$defs/Book"}, {"type": "null"}]},
        {"Book": BOOK, "Shelf": SHELF},
    ),
    (
        "x: List[Item | dict]",
        {
            "items": {"anyOf": [{"$ref": "#/$defs/Item"}, ANY_OBJECT]},
            "title": "X",
            "type": "array",
        },
        {"Item": ITEM, "Shelf": SHELF},
    ),
    (
        "x: Reader",
        {
            "anyOf": [{"$ref": "#/$defs/Guest"}, {"type": "string"}, {"type": "null"}],
            "title": "X",
        },
        {"Guest": GUEST},
    ),
    ("x: Open", {"$ref": "#/$defs/Open"}, {"Guest": GUEST, "Open": OPEN}),
]

TOOLS = '''
"""A made-up toolkit."""
from desk.toolkit import ToolKitBase, ToolType, is_discoverable_tool, is_tool


class Commons(ToolKitBase):
    @is_tool(ToolType.GENERIC)
    def hush(self) -> str:
        """Ask for silence."""

    @is_tool(ToolType.THINK)
    def lend(self) -> str:
        """Overridden below."""


class Desk(Commons):
    """All the tools."""

    db: object

    def __init__(self, db):
        super().__init__(db)

    def _find(self, anything, *more, **rest):
        """Not a tool."""

    @is_tool(tool_type=ToolType.WRITE, mutates_state=True)
    def lend(self, book_id: str, days: int = 14, *, renew: bool = False, note: Optional[str] = None) -> str:
        """
        Lend a book. It must be on the shelf,
        and the reader known.

            - one book
        at a time. Note: be kind.

        Args:
            book_id: The id, such as 'B: 1'.
            days (int): How long,
                        in days,
                          counted twice.
            renew:
                Whether again.

        Returns:
            str: A receipt.

        Raises:
            ValueError: If it is gone.
        """
        return "lent"

    @is_tool()
    def list_books(self) -> list["Unknown"]:
        return []

    @is_discoverable_tool(ToolType.WRITE)
    def burn(self, everything: Unknown) -> None:
        """Not shown."""

    # @is_tool(ToolType.READ)
    # def gone(self): ...

    @property
    def size(self) -> int:
        return 0


class Helper:
    pass
'''

DOMAIN_CONTEXT = [
    {
        "type": "function",
        "function": {
            "name": "lend",
            "description": "Lend a book. It must be on the shelf,\n\nand the reader known.\n\n"
            "    - one book\nat a time. Note: be kind.",
            "parameters": {
                "properties": {
                    "book_id": {
                        "description": "The id, such as 'B: 1'.",
                        "title": "Book Id",
                        "type": "string",
                    },
                    "days": {
                        "default": 14,
                        "description": "How long,\nin days,\ncounted twice.",
                        "title": "Days",
                        "type": "integer",
                    },
                    "renew": {
                        "default": False,
                        "description": "Whether again.",
                        "title": "Renew",
                        "type": "boolean",
                    },
                    "note": {
                        "anyOf": [{"type": "string"}, {"type": "null"}],
                        "default": None,
                        "title": "Note",
                    },
                },
                "required": ["book_id"],
                "title": "parameters",
                "type": "object",
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "list_books",
            "description": "list_books",
            "parameters": {"properties": {}, "title": "parameters", "type": "object"},
        },
    },
    {
        "type": "function",
        "function": {
            "name": "hush",
            "description": "Ask for silence.",
            "parameters": {"properties": {}, "title": "parameters", "type": "object"},
        },
    },
]


def toolkit(signature: str, docstring: str = "") -> str:
    return (
        "class Kit(ToolKitBase):\n"
        "    @is_tool(ToolType.READ)\n"
        f"    def tool(self, {signature}):\n"
        f"        {docstring!r}\n"
    )


def parameters(signature: str, models: str = MODELS, docstring: str = "") -> dict[str, Any]:
    (tool,) = tool_schemas(toolkit(signature, docstring), [models], where="kit")
    function: Any = tool["function"]
    shown: dict[str, Any] = function["parameters"]
    return shown


def text(value: object) -> str:
    """Return JSON text, which is equal only if the order of keys is equal too."""
    return json.dumps(value, indent=1)


@pytest.mark.parametrize(
    ("signature", "shown", "definitions"), TYPES, ids=lambda value: str(value)[:40]
)
def test_each_type_is_shown_as_pydantic_shows_it(
    signature: str, shown: dict[str, object], definitions: dict[str, object]
) -> None:
    name = signature.partition(":")[0]
    expected = {
        **({"$defs": definitions} if definitions else {}),
        "properties": {name: dict(sorted(shown.items()))},
        **({} if "=" in signature else {"required": [name]}),
        "title": "parameters",
        "type": "object",
    }
    assert text(parameters(signature)) == text(expected)


def test_a_toolkit_is_shown_in_the_order_of_its_text_with_inherited_tools_last() -> None:
    assert text(tool_schemas(TOOLS, [MODELS], where="desk")) == text(DOMAIN_CONTEXT)


def test_kinds_are_those_of_the_decorators() -> None:
    kinds = {"lend": "write", "list_books": "read", "burn": "write", "hush": "generic"}
    assert tool_kinds(TOOLS, where="desk") == kinds


def test_docstrings_are_whole_and_discoverable_tools_have_them_too() -> None:
    docstrings = tool_docstrings(TOOLS, where="desk")
    assert docstrings.keys() == tool_kinds(TOOLS, where="desk").keys()
    first, *_, last = docstrings["lend"].splitlines()
    assert first == "Lend a book. It must be on the shelf,"
    assert "Args:" in docstrings["lend"]
    assert last == last.rstrip() != ""


def test_what_the_docstring_says_goes_before_what_the_annotation_says() -> None:
    shown = parameters(
        "mood: Mood, shelf: Shelf", docstring="Do.\n\nArgs:\n  mood: Now\n  shelf: There"
    )
    assert shown["properties"] == {
        "mood": {"description": "Now", "enum": ["calm", "loud"], "title": "Mood", "type": "string"},
        "shelf": {"$ref": "#/$defs/Shelf", "description": "There"},
    }


def test_a_docstring_of_sections_only_leaves_the_name_as_description() -> None:
    (tool,) = tool_schemas(toolkit("x: int", "\nArgs:\n    x: A number.\n"), [], where="kit")
    function: Any = tool["function"]
    assert function["description"] == "tool"
    assert function["parameters"]["properties"]["x"]["description"] == "A number."


def test_a_line_at_the_margin_ends_the_list_of_arguments() -> None:
    shown = parameters("x: int, y: int", docstring="Do.\n\nArgs:\n    x: One.\nSee:\n    y: no.")
    assert "description" in shown["properties"]["x"]
    assert "description" not in shown["properties"]["y"]


@pytest.mark.parametrize(
    ("signature", "construct"),
    [
        ("x: Unheard", "type is not supported: Unheard"),
        ("x: tuple[int, str]", "type is not supported: tuple[int, str]"),
        ("x: list[int, str]", "type is not supported: list[int, str]"),
        ("x: 'int; str'", "type is not supported: 'int; str'"),
        ("x: 3", "type is not supported: 3"),
        ("x: Callable[[], int]", "type is not supported: Callable[[], int]"),
        ("x: Literal[list()]", "value is not supported: list()"),
        ("x: int = len('abc')", "value is not supported: len('abc')"),
        ("x: bytes = b'a'", "type is not supported: bytes"),
        ("x: int = b'a'", "value is not supported: b'a'"),
        ("x: float = 1e999", "value is not supported: 1e309"),
        ("x: Annotated[int, Gt(0)]", "annotation is not supported: Gt(0)"),
        ("x: int = Field(gt=0)", "field option is not supported: Field(gt=0)"),
        ("x: int = Field(1, 2)", "field option is not supported: Field(1, 2)"),
        ("x", "an argument without annotation is not supported: x"),
        ("*x: int", "a variable number of arguments is not supported"),
        ("x: Odd", "class Odd is not supported"),
        ("x: Plain", "class Plain is not supported"),
        ("x: Strict", "model configuration is not supported: ConfigDict(title='T')"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(signature: str, construct: str) -> None:
    models = """
class Odd(TypedDict):
    x: int
class Plain:
    x: int
class Strict(BaseModel):
    model_config = ConfigDict(title="T")
"""
    with pytest.raises(DataError) as refusal:
        parameters(signature, models)
    message = str(refusal.value)
    assert message.startswith("kit, tool tool: ")
    assert construct in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "source",
    [
        "def broken(:",
        "x = '\0'",
        "x = 1",
        "class Kit:\n    pass",
        TOOLS + TOOLS.replace("Desk", "Desk2").replace("Commons", "Commons2"),
        "(" * 10_000,
        "-" * 100_000 + "1",
        "#" * (MAX_SOURCE + 1),
        toolkit("x: " + "|".join(["int"] * 20_000)),
        toolkit("x: A", "") + "A = A",
        toolkit("x: A", "") + "A = list[A]",
        toolkit("x: A20", "")
        + "A0 = int\n"
        + "".join(f"A{n + 1} = dict[A{n}, A{n}]\n" for n in range(20)),
        toolkit("x: int", "Do.\n\nArgs:\n    nothing said"),
        toolkit("x: int", "Do.\n\nArgs:\nx: at the margin"),
        toolkit("x: int", "Do.\n\nRaises:\n    nothing said"),
        "class A(B):\n    @is_tool()\n    def f(self): ...\nclass B(A): ...",
    ],
    ids=range(16),
)
def test_damaged_or_hostile_modules_are_refused_in_one_line(source: str) -> None:
    with pytest.raises(DataError) as refusal:
        tool_schemas(source, [], where="kit")
    assert str(refusal.value).startswith("kit")
    assert "\n" not in str(refusal.value)


def test_an_unknown_tool_type_is_refused() -> None:
    with pytest.raises(DataError, match="tool type is not supported"):
        tool_kinds(toolkit("x: int").replace("READ", "DANCE"), where="kit")


def test_a_quoted_type_that_is_no_python_is_refused() -> None:
    with pytest.raises(DataError, match="kit, tool tool, type 'one two': not valid Python"):
        parameters("x: 'one two'")


def test_a_stray_backslash_in_a_text_is_read_without_a_warning() -> None:
    source = toolkit("x: int").replace("''", "'Find \\d digits.'")
    (tool,) = tool_schemas(source, [], where="kit")
    function: Any = tool["function"]
    assert function["description"] == r"Find \d digits."


def test_a_type_that_two_modules_define_is_refused_where_it_is_used() -> None:
    models = ["class A(BaseModel):\n    x: int\n"] * 2
    assert tool_schemas(toolkit("x: int"), models, where="kit")
    with pytest.raises(DataError, match="A is defined in more than one module"):
        tool_schemas(toolkit("x: A"), models, where="kit")


FRAGMENTS = st.sampled_from([*TOOLS.splitlines(keepends=True), *MODELS.splitlines(keepends=True)])
TOKENS = st.sampled_from(
    [
        *("x:", "int", "str", "dict", "Any", "list", "Optional", "Union", "Literal", "Annotated"),
        *(
            "Field",
            "Shelf",
            "Shelf.LOW",
            "Item",
            "Genre",
            "'Item'",
            "None",
            "...",
            "1",
            "-2",
            "b'a'",
        ),
        *("[", "]", "(", ")", "{", "}", "|", ",", "=", ".", ":", "lambda", "*x", "/", "*"),
    ]
)


@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join)))
@example("class Kit:\n @is_tool()\n def f(self, x: '\\ud800'): ...")
def test_arbitrary_text_is_read_or_refused(source: str) -> None:
    for read in (
        lambda: tool_schemas(source, [MODELS], where="kit"),
        lambda: tool_schemas(TOOLS, [source], where="kit"),
        lambda: tool_kinds(source, where="kit"),
    ):
        try:
            read()
        except DataError as refusal:
            assert "\n" not in str(refusal)  # noqa: PT017 - most texts are refused, some are read


@given(st.lists(TOKENS, max_size=12).map(" ".join), st.text("Args: x\n.", max_size=30))
def test_arbitrary_signatures_are_read_or_refused(signature: str, docstring: str) -> None:
    try:
        shown = parameters("x: " + signature, docstring=docstring)
    except DataError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017 - most texts are refused, some are read
    else:
        assert shown["type"] == "object"


# Recorded schemas: stand-in modules are written from them and must give them again.

SHARED = Path(__file__).parents[4] / "shared" / "data"
DATA = Path(os.environ.get("DRAGOMAN_DATA", SHARED)) / "tau2"
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def annotation(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"$ref": reference}:
            return str(reference).rpartition("/")[2]
        case {"anyOf": choices}:
            return "Union[" + ", ".join(map(annotation, choices)) + "]"
        case {"enum": values}:
            return "Literal[" + ", ".join(map(repr, values)) + "]"
        case {"type": "array", "items": items}:
            return f"List[{annotation(items)}]"
        case {"type": "object"}:
            return "dict"
        case _:
            return SCALARS[schema["type"]]


def enum_source(name: str, schema: Mapping[str, Any]) -> str:
    members = "".join(f"    M{n} = {value!r}\n" for n, value in enumerate(schema["enum"]))
    return f"class {name}(str, Enum):\n{members}"


def default_source(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "$ref" not in field:
        return repr(field["default"])
    owner = annotation(field)
    return f"{owner}.M{definitions[owner]['enum'].index(field['default'])}"


def model_source(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    base = "BaseModelNoExtra" if schema.get("additionalProperties") is False else "BaseModel"
    lines = [f"class {name}({base}):\n    {schema.get('description', '')!r}"]
    for field_name, field in schema["properties"].items():
        options = [default_source(field, definitions)] if "default" in field else []
        options += [f"description={field['description']!r}"] if "description" in field else []
        lines.append(f"    {field_name}: {annotation(field)} = Field({', '.join(options)})")
    return "\n".join(lines) + "\n"


def models_source(definitions: Mapping[str, Any]) -> str:
    return "".join(
        enum_source(name, schema) if "enum" in schema else model_source(name, schema, definitions)
        for name, schema in definitions.items()
    )


def tool_source(function: Mapping[str, Any], docstring: str) -> str:
    arguments = "".join(
        f", {name}: {annotation(field)}"
        + (f" = {field['default']!r}" if "default" in field else "")
        for name, field in function["parameters"]["properties"].items()
    )
    spaced = "\n" + indent(docstring, " " * 8) + "\n" + " " * 8
    return (
        "    @is_tool(ToolType.READ)\n"
        f"    def {function['name']}(self{arguments}) -> str:\n"
        f"        {spaced!r}\n"
    )


def tools_source(functions: Iterable[Mapping[str, Any]], docstrings: Mapping[str, str]) -> str:
    return "class Recorded(ToolKitBase):\n" + "".join(
        tool_source(function, docstrings[function["name"]]) for function in functions
    )


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("domain", "side"),
    [("airline", "tools"), ("retail", "tools"), ("telecom", "tools"), ("telecom", "user_tools")],
)
def test_stand_ins_of_the_recorded_tools_lead_back_to_what_was_recorded(
    domain: str, side: str
) -> None:
    recorded = DATA / domain / f"{side}_openai.json"
    if not recorded.is_file():
        pytest.skip(f"no recorded schemas at {recorded}; set DRAGOMAN_DATA")
    expected = json.loads(recorded.read_text("utf-8"))
    docstrings = json.loads((DATA / domain / f"{side}_docstrings.json").read_text("utf-8"))
    functions = [tool["function"] for tool in expected]
    definitions = {
        name: schema
        for function in functions
        for name, schema in function["parameters"].get("$defs", {}).items()
    }
    source = tools_source(functions, docstrings)
    schemas = tool_schemas(source, [models_source(definitions)], where=f"{domain} {side}")
    assert text(schemas) == text(expected)
