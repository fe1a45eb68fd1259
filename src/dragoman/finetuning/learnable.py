"""Which rows a model can learn from: what its tokenizer and template make of them."""

import contextlib
from collections.abc import Sequence
from typing import Any

from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.masking import labelled_rows, require_template
from dragoman.finetuning.model_folder import LOADED_TOKENIZER
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.unused import UnusedRow


def learnable_rows(
    recipe: Recipe, rows: Sequence[TrainingExample]
) -> tuple[list[TrainingExample], list[UnusedRow]]:
    """Return the rows that can be learnt from, and the others with why not.

    Raises:
        UsageError: Where nothing can be learnt by the model's template.
    """
    _, unused = labelled_rows(rows, chat_tokenizer(recipe, rows), recipe.max_length)
    left_out = {each.row for each in unused}
    return [row for row in rows if row.id not in left_out], unused


def chat_tokenizer(recipe: Recipe, rows: Sequence[TrainingExample]) -> Any:  # noqa: ANN401 - no types
    """Return the model's tokenizer with a template by which rows can be learnt.

    Raises:
        UsageError: Where its template teaches nothing.
    """
    from transformers import AutoTokenizer

    from dragoman.finetuning.quiet import quieted

    quieted()
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
