"""Loss masking: examples as tokens and labels, where only the assistant's turns are trained.

The assistant's turns are found by the generation blocks of the chat template. The end of a turn
is trained too: a model that never sees it never stops. An example that is longer than allowed is
refused whole, since it would lose the end of its answer.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.model_output import WHOLE_CONTENT
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.model_folder import LOADED_TOKENIZER
from dragoman.finetuning.recipe import Recipe
from dragoman.models.history_format import ensure_json_object
from dragoman.store.training_results import UnusedRow


def for_template(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message as templates need it: with text, and with arguments as an object."""
    given = {key: each for key, each in message.items() if each is not None}
    given.pop(WHOLE_CONTENT, None)
    shown = {"content": "", **given}
    calls = shown.get("tool_calls")
    if isinstance(calls, list | tuple):
        shown["tool_calls"] = [_with_object(call) for call in calls]
    return shown


def _with_object(call: object) -> object:
    match call:
        case {"function": {"arguments": str() as written, **function}, **others}:
            arguments = json.loads(ensure_json_object(written))
            return {**others, "function": {**function, "arguments": arguments}}
        case _:
            return call


IGNORED = -100
"""The label of a token that is not learnt, as PyTorch has it."""

_PROBE = "probe_of_a_function"
_TOOL = {
    "type": "function",
    "function": {
        "name": _PROBE,
        "description": "Nothing.",
        "parameters": {"type": "object", "properties": {}, "required": []},
    },
}
_CONVERSATION = ({"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."})


class ChatTokenizer(Protocol):
    """The part of a `transformers` tokenizer that is used here."""

    chat_template: str | None
    eos_token_id: int | None
    special_tokens_map: dict[str, object]

    def __call__(self, text: str, **options: object) -> Mapping[str, list[Any]]:
        """Return a text as tokens."""
        ...

    def apply_chat_template(
        self, conversation: Sequence[Mapping[str, object]], **options: object
    ) -> object:
        """Return a conversation as text."""
        ...


class LabelledRow(msgspec.Struct, frozen=True):
    """A row's tokens and, for each, itself where it is learnt, else `IGNORED`."""

    row: str
    ids: tuple[int, ...]
    labels: tuple[int, ...]


def require_template(tokenizer: ChatTokenizer, *, with_tools: bool) -> None:
    """Refuse a tokenizer whose template teaches nothing.

    Args:
        tokenizer: The tokenizer, with its template.
        with_tools: Whether rows offer functions in addition to their messages.

    Raises:
        UsageError: If the template is missing, shows no functions, has no generation block, or has
            a block that excludes the end of a turn.
    """
    if not tokenizer.chat_template:
        raise UsageError("the model's tokenizer has no chat template: take an instruct model")
    if with_tools and _PROBE not in _text(tokenizer, _CONVERSATION, [_TOOL]):
        raise UsageError(
            "the model's chat template shows no functions, and rows offer some: take another "
            "model, or "
            "rows that have their functions in a message"
        )
    ids, mask = _tokens(tokenizer, _CONVERSATION, None)
    learnt = [token for token, is_learnt in zip(ids, mask, strict=True) if is_learnt]
    if not learnt:
        raise UsageError(
            "the model's chat template does not say what the assistant writes: put {% generation "
            "%} and "
            "{% endgeneration %} around it"
        )
    if tokenizer.eos_token_id not in learnt:
        raise UsageError(
            "the model's chat template ends a turn outside its generation block, so a model would "
            "never "
            "learn to stop: put the end within"
        )


def labelled_rows(
    rows: Iterable[TrainingExample], tokenizer: ChatTokenizer, max_length: int
) -> tuple[list[LabelledRow], list[UnusedRow]]:
    """Return rows as tokens with labels, and the rows that cannot be learnt from."""
    found, unused = [], []
    for row in rows:
        messages = [for_template(message) for message in row.messages]
        ids, mask = _tokens(tokenizer, messages, list(row.tools) or None)
        if len(ids) > max_length:
            unused.append(UnusedRow(row.id, f"{len(ids)} tokens, and {max_length} are allowed"))
        elif not any(mask):
            unused.append(UnusedRow(row.id, "the template shows nothing of its assistant"))
        else:
            labels = (t if is_learnt else IGNORED for t, is_learnt in zip(ids, mask, strict=True))
            found.append(LabelledRow(row.id, tuple(ids), tuple(labels)))
    return found, unused


def _tokens(
    tokenizer: ChatTokenizer, messages: Sequence[Mapping[str, object]], tools: object
) -> tuple[list[int], list[bool]]:
    """Return a conversation's tokens, and which of them begin within a generation block.

    Counted by letters: `transformers`' own mask runs on to the end where a block ends with a blank
    that has no token.
    """
    from transformers.utils.chat_template_utils import render_jinja_template

    (text,), (blocks,) = render_jinja_template(
        conversations=[messages],
        tools=tools,
        chat_template=tokenizer.chat_template,
        return_assistant_tokens_mask=True,
        **tokenizer.special_tokens_map,
    )
    made = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    mask = [any(begin <= at < end for begin, end in blocks) for at, _ in made["offset_mapping"]]
    return list(made["input_ids"]), mask


def _text(tokenizer: ChatTokenizer, messages: Sequence[Mapping[str, object]], tools: object) -> str:
    return str(tokenizer.apply_chat_template(messages, tools=tools, tokenize=False))


def trainable_rows(
    recipe: Recipe, rows: Sequence[TrainingExample]
) -> tuple[list[TrainingExample], list[UnusedRow]]:
    """Return the rows that can be learnt from, and the unused rows with reasons.

    Raises:
        UsageError: If the model's template teaches nothing.
    """
    _, unused = labelled_rows(rows, chat_tokenizer(recipe, rows), recipe.max_length)
    left_out = {each.row for each in unused}
    return [row for row in rows if row.id not in left_out], unused


def chat_tokenizer(recipe: Recipe, rows: Sequence[TrainingExample]) -> Any:  # noqa: ANN401
    """Return the model's tokenizer with a template by which rows can be learnt.

    Raises:
        UsageError: If its template teaches nothing.
    """
    from transformers import AutoTokenizer

    from dragoman.finetuning.torch_helpers import silence_libraries

    silence_libraries()
    tokenizer = AutoTokenizer.from_pretrained(recipe.model, **LOADED_TOKENIZER)
    _take_known_template(tokenizer)
    require_template(tokenizer, with_tools=any(row.tools for row in rows))
    return tokenizer


def _take_known_template(tokenizer: Any) -> None:  # noqa: ANN401 - no types
    """Give a model of a known family, whose own template marks nothing, the same one with marks."""
    if not tokenizer.chat_template or "generation %}" in tokenizer.chat_template:
        return
    from trl.chat_template_utils import get_training_chat_template

    with contextlib.suppress(ValueError):
        tokenizer.chat_template = get_training_chat_template(tokenizer) or tokenizer.chat_template
