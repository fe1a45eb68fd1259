"""A set of tasks over web APIs, wherever it was read from, in the form that suites are made of."""

from collections.abc import Callable, Mapping

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.episodes import Event
from dragoman.core.protocols import Provenance


class ApiReply(msgspec.Struct, frozen=True):
    """What an API answers: the text, and whether it is a complaint."""

    text: str
    is_error: bool = False


Replies = Callable[[str, Mapping[str, object]], ApiReply]
"""Answers a call by the operation's name and arguments; unknown ones are answered with a complaint."""


class SetTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task, with what sets of other people add to it.

    Attributes:
        task: The task.
        no_tools: Why its gold tools cannot be told; "" where they can.
        no_arguments: Why its gold arguments cannot be told; "" where they can.
        history: What was said and called before.
        told: What an agent is told besides, of this task alone.
    """

    task: ApiTask
    no_tools: str = ""
    no_arguments: str = ""
    history: tuple[Event, ...] = ()
    told: str = ""


class CallSet(msgspec.Struct, frozen=True):
    """A set of tasks.

    Attributes:
        name: The suite's, such as `itc:world`.
        documents: The APIs.
        tasks: The tasks.
        provenance: Where they come from.
        told: What an agent is told besides, such as the date that today is.
        replies: What APIs answer; None where nobody does, so that calls are judged and not executed.
    """

    name: str
    documents: tuple[ApiDocument, ...]
    tasks: tuple[SetTask, ...]
    provenance: Provenance
    told: str = ""
    replies: Replies | None = None
