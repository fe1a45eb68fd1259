from typing import Literal

import pytest

from dragoman.benchmarks.kit.tool_schemas import derive_toolset
from dragoman.core.errors import DataError


class Kettle:
    def boil(self, litres: float, mode: Literal["fast", "slow"], note: str = "") -> str:
        """Boil water.

        Twice, if need be.

        Args:
            litres: How much water,
                in litres.
            mode: How.
            note: What else.

        Returns:
            What happened.
        """
        return f"{litres} {mode} {note}"

    def whistle(self) -> str:
        """Whistle."""
        return "fuit"

    def mute(self) -> str:
        return ""

    def pour(self, cups: int, into: str) -> str:
        """Pour.

        Args:
            cups: How many.
        """
        return f"{cups} {into}"


def test_a_method_becomes_a_schema() -> None:
    (boil, whistle) = derive_toolset(Kettle, {"boil": "write", "whistle": "generic"})
    assert (boil.name, boil.kind) == ("boil", "write")
    assert boil.description == "Boil water. Twice, if need be."
    assert boil.parameters == {
        "type": "object",
        "properties": {
            "litres": {"type": "number", "description": "How much water, in litres."},
            "mode": {"type": "string", "enum": ["fast", "slow"], "description": "How."},
            "note": {"type": "string", "description": "What else."},
        },
        "required": ["litres", "mode"],
    }
    assert whistle.parameters == {"type": "object", "properties": {}, "required": []}


@pytest.mark.parametrize("name", ["mute", "pour"])
def test_a_tool_that_is_not_described_is_the_authors_mistake(name: str) -> None:
    with pytest.raises(
        DataError, match=f"tool {name} of Kettle: its docstring must describe the tool"
    ):
        derive_toolset(Kettle, {name: "read"})
