"""What a model is shown of a multi-turn entry: the functions on offer, turn by turn."""

from collections.abc import Collection, Iterable

import msgspec

from dragoman.benchmarks.bfcl.entries.turns import MultiTurnEntry
from dragoman.benchmarks.bfcl.prompts.documents import Document, with_notes
from dragoman.benchmarks.bfcl.prompts.native_tools import native_tools
from dragoman.benchmarks.bfcl.prompts.prompting import DEFAULT_FORMAT, PromptFormat, compose_prompt
from dragoman.benchmarks.bfcl.prompts.shown_documents import as_shown
from dragoman.benchmarks.bfcl.prompts.texts import PromptTexts
from dragoman.core.tools import Toolset, ToolSpec


def toolsets(entry: MultiTurnEntry, texts: PromptTexts) -> tuple[Toolset, ...]:
    """Return the tools that are visible in each turn; one and the same where nothing appears."""
    visible = native_tools(_first(entry, texts), texts.float_note)
    found: list[Toolset] = []
    for turn in entry.task.turns:
        if turn.adds_tools or not found:
            visible += native_tools(_named(entry, turn.adds_tools), texts.float_note)
            found.append(Toolset(visible))
        else:
            found.append(found[-1])
    return tuple(found)


def system_prompt(
    entry: MultiTurnEntry,
    texts: PromptTexts,
    form: PromptFormat = DEFAULT_FORMAT,
    tools: Iterable[ToolSpec] = (),
) -> str:
    """Return the system message of prompting mode, with the functions that are there at the start.

    Args:
        entry: The entry.
        texts: What prompts are composed of.
        form: The format.
        tools: How functions are shown, where that may differ from their documents.
    """
    documents = _first(entry, texts)
    shown = as_shown(documents, tools, texts.float_note)
    return compose_prompt(shown, texts.for_functions(are_english=shown == documents), form)


def spoken_messages(entry: MultiTurnEntry, turn: int, texts: PromptTexts) -> tuple[str, ...]:
    """Return what the user says in a turn of prompting mode: functions that appear are in it."""
    names = entry.task.turns[turn].adds_tools
    return (appearing_text(entry, names, texts),) if names else entry.task.turns[turn].messages


def appearing_text(
    entry: MultiTurnEntry,
    names: Collection[str],
    texts: PromptTexts,
    tools: Iterable[ToolSpec] = (),
) -> str:
    """Return the user's words in a turn of prompting mode in which functions appear.

    `tools` are those that appear as they are shown, where that may differ from their documents.
    """
    ordered = [name for name in entry.task.withheld_tools if name in names]
    documents = as_shown(_named(entry, ordered), tools, texts.float_note)
    appearing = msgspec.to_builtins(documents)
    return texts.wording.more_functions.replace("{functions}", str(list(appearing)))


def _first(entry: MultiTurnEntry, texts: PromptTexts) -> tuple[Document, ...]:
    withheld = frozenset(entry.task.withheld_tools)
    return tuple(
        with_notes(document, "python", texts)
        for document in entry.documents
        if document.name not in withheld
    )


def _named(entry: MultiTurnEntry, names: Collection[str]) -> tuple[Document, ...]:
    """Return documents by name as upstream has them: functions that appear carry no note."""
    by_name = {document.name: document for document in entry.documents}
    return tuple(by_name[name] for name in names)
