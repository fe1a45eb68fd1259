"""What is asked of APIs: a query in a speaker's language, the tools that are offered, and gold calls."""

from typing import Literal

import msgspec

CallKind = Literal["single", "repeated", "parallel", "nested", "none"]
"""One call, several of one API, several of several APIs, calls that use earlier results, no call."""


class ApiCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call: the tool's name as it is offered, and arguments with canonical values.

    A value that an earlier call returns is `{"from": "$1.data.city_ibge"}`: the first call's result,
    and the path in it; places in lists are numbers from 0.

    Attributes:
        also: Other values that are as right, by argument.
    """

    tool: str
    arguments: dict[str, object] = {}
    also: dict[str, tuple[object, ...]] = {}


class ApiTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """One query with its gold calls.

    Attributes:
        language: Of the query, as a BCP 47 tag.
        country: Of the APIs that answer it, or "Global".
        offered: Ids of the operations that are offered (`core.apis.documents.operation_id`).
        gold: The calls; none where no offered tool fits or something needed is missing.
        traps: What makes it hard, such as "calendar", "digits" or "same name twice".
        made_by: Who wrote the query: a model's name, "template@1", or "hand".
        split: "train" or "test"; "" before data are split.
        plans: Other calls that are as right as the gold ones, all of them together.
    """

    id: str
    query: str
    language: str
    kind: CallKind
    offered: tuple[str, ...]
    gold: tuple[ApiCall, ...] = ()
    country: str = ""
    traps: tuple[str, ...] = ()
    made_by: str = ""
    split: str = ""
    plans: tuple[tuple[ApiCall, ...], ...] = ()


class ApiAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of an answer: what was thought, in the query's language, and the calls made."""

    thought: str
    calls: tuple[ApiCall, ...] = ()
