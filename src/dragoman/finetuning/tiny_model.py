"""A tiny causal model and tokenizer made from training examples alone, without a download.

Of the kind Qwen3, with random weights: `dragoman finetune` trains them. Its learning rate is
another than that of large models, at which so small a model learns nothing
(docs/how_to/finetune.md).

The tokenizer may have a token for each passage that many prompts share: lines of instructions, and
functions on offer. A prompt of some 5,500 letters is then a few dozen tokens, and a model of half a
million parameters learns on a CPU which function is meant. The model learns the content of a
passage by heart, so functions that no example offers stay as many tokens as they have words.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.checkpoints import weights_folder
from dragoman.finetuning.optional_dependencies import require_extra

_SHORTEST = 40
_MOST = 2_000
_BETWEEN = re.compile(r"\n|(?<=\}),\s*(?=\{)")


def shared_passages(rows: Sequence[TrainingExample]) -> list[str]:
    """Return the passages that occur in many rows, the most frequent first.

    A passage must occur in at least eight rows and in a hundredth of all rows.
    """
    counted = Counter(piece for row in rows for piece in set(_pieces(row)))
    fewest = max(8, len(rows) // 100)
    return [piece for piece, count in counted.most_common(_MOST) if count >= fewest]


def texts_without(texts: Iterable[str], passages: Sequence[str]) -> Iterator[str]:
    """Yield texts without known passages, from whose words no pieces are learnt."""
    known = set(passages)
    for text in texts:
        yield "\n".join(piece for piece in _BETWEEN.split(text) if _bare(piece) not in known)


def _pieces(row: TrainingExample) -> Iterator[str]:
    for message in row.messages:
        if message.get("role") in {"system", "developer"}:
            yield from _cut(str(message.get("content") or ""))
    for tool in row.tools:
        yield json.dumps(tool.get("function"), ensure_ascii=False)


def _cut(text: str) -> Iterator[str]:
    for piece in _BETWEEN.split(text):
        if len(bare := _bare(piece)) >= _SHORTEST:
            yield bare


def _bare(piece: str) -> str:
    return piece.strip().removeprefix("[").removesuffix("]") if "{" in piece else piece.strip()


Size = Literal["xs", "s", "m", "l", "xl"]

SIZES: dict[Size, tuple[int, int, int, int]] = {
    "xs": (96, 3, 4, 256),
    "s": (128, 4, 4, 384),
    "m": (192, 4, 6, 512),
    "l": (320, 8, 8, 960),
    "xl": (640, 12, 10, 1920),
}
"""Width, layers, heads and inner width of each size.

The sizes have about 0.4, 0.9, 2, 12 and 70 million parameters; `xl` is for a GPU.
"""

_END, _PAD = "<|end|>", "<|pad|>"
_SPECIAL = (_PAD, _END, "<|system|>", "<|tools|>", "<|user|>", "<|assistant|>", "<|tool|>")


class TinyForm(msgspec.Struct, frozen=True):
    """The form of a tiny model.

    Attributes:
        size: The size of the model.
        vocabulary: The largest number of tokens.
        context: Tokens that it is made for.
        passages: Whether each passage that many rows' instructions or functions share is one token.
        seed: Of the weights.
    """

    size: Size = "s"
    vocabulary: int = 2048
    context: int = 4096
    passages: bool = False
    seed: int = 0


def write_tiny(rows: Sequence[TrainingExample], out: Path, form: TinyForm) -> int:
    """Write a model with random weights and a tokenizer of the rows' words; return its parameters.

    Args:
        rows: The rows that the tokenizer is made from.
        out: A folder that does not exist yet, or is empty.
        form: The form of the model.

    Raises:
        UsageError: If `out` is taken, or the extra is missing.
        StoreError: If the folder cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty: name another folder")
    require_extra()
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    from dragoman.finetuning.torch_helpers import silence_libraries

    silence_libraries()
    tokenizer = _tokenizer(rows, form)
    width, layers, heads, inner = SIZES[form.size]
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        head_dim=width // heads,
        intermediate_size=inner,
        max_position_embeddings=form.context,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        dtype="float32",
    )
    torch.manual_seed(form.seed)
    model = Qwen3ForCausalLM(config)
    with weights_folder(out) as part:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)
    return int(model.num_parameters())


def _tokenizer(rows: Sequence[TrainingExample], form: TinyForm) -> Any:  # noqa: ANN401
    """Return byte-level BPE; digits stand alone, so that numbers are copied and not memorised."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=form.vocabulary,
        special_tokens=list(_SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    passages = shared_passages(rows) if form.passages else []
    texts = _texts(rows)
    raw.train_from_iterator(texts_without(texts, passages) if passages else texts, trainer)
    raw.add_tokens([AddedToken(each, normalized=False) for each in passages])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token=_END,
        pad_token=_PAD,
        padding_side="left",
        extra_special_tokens=list(_SPECIAL[2:]),
    )
    template = files("dragoman.finetuning") / "tiny_template.jinja"
    tokenizer.chat_template = template.read_text("utf-8").strip()
    return tokenizer


def _texts(rows: Sequence[TrainingExample]) -> Iterator[str]:
    for row in rows:
        for message in row.messages:
            yield str(message.get("content") or "")
            if calls := message.get("tool_calls"):
                yield msgspec.json.encode(calls).decode()
        if row.tools:
            yield msgspec.json.encode(row.tools).decode()
