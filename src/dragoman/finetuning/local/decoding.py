"""Weights, tokenizer and decoding of a model in a folder: the part that needs torch."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessorList,
)

from dragoman.core.errors import RunHalted
from dragoman.finetuning.local.checking import tokenizer_folder
from dragoman.finetuning.local.draws import SeededDraws
from dragoman.finetuning.local.replies import DecodedText
from dragoman.finetuning.local.spec import FolderModel
from dragoman.finetuning.model_folder import LOADED_TOKENIZER, LOADED_WEIGHTS
from dragoman.finetuning.quiet import quieted
from dragoman.finetuning.template_messages import for_template
from dragoman.finetuning.threads import take_threads


class Prompt(msgspec.Struct, frozen=True):
    """What is asked: tokens, and the seed of what is drawn."""

    ids: tuple[int, ...]
    seed: int


class FolderWords:
    """A model's tokenizer with its chat template.

    Raises:
        RunHalted: Where it cannot be loaded.
    """

    def __init__(self, spec: FolderModel) -> None:
        quieted()
        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(
                str(tokenizer_folder(spec)), **LOADED_TOKENIZER
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunHalted(
                f"{spec.name}: the tokenizer cannot be loaded: {_line(error)}"
            ) from error
        self._name = spec.name

    @property
    def template(self) -> str:
        """The chat template's text."""
        return str(self.tokenizer.chat_template or "")

    def ids(
        self, messages: Sequence[Mapping[str, object]], tools: Sequence[Mapping[str, object]]
    ) -> tuple[int, ...]:
        """Return a conversation as tokens up to where the assistant goes on.

        Raises:
            RunHalted: Where the template refuses it.
        """
        try:
            text = self.tokenizer.apply_chat_template(
                [for_template(message) for message in messages],
                tools=list(tools) or None,
                add_generation_prompt=True,
                tokenize=False,
            )
        except Exception as error:  # a template may raise anything
            raise RunHalted(
                f"{self._name}: its chat template refuses a conversation: {_line(error)}"
            ) from error
        return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])


class BatchDecoder:
    """A model that is loaded.

    Raises:
        RunHalted: Where the weights cannot be loaded.
    """

    def __init__(self, spec: FolderModel, words: FolderWords, *, on_gpu: bool) -> None:
        self._sampling = spec.sampling
        self._name = spec.name
        self._tokenizer = words.tokenizer
        self._device = "cuda" if on_gpu else "cpu"
        try:
            self._model = _loaded(spec, self._device)
        except torch.OutOfMemoryError as error:
            raise RunHalted(f"{spec.name}: out of memory while it was loaded") from error
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise RunHalted(f"{spec.name}: the model cannot be loaded: {_line(error)}") from error
        if not on_gpu:
            take_threads(self._model.num_parameters())
        self._ends = _ends(self._model, self._tokenizer)
        self._context = int(getattr(self._model.config, "max_position_embeddings", 0) or 0)
        # Whatever a model's own file sets (temperatures, penalties) would be taken where we say nothing.
        self._model.generation_config = GenerationConfig(
            eos_token_id=self._ends, pad_token_id=self._ends[0], do_sample=False
        )

    def room(self, prompt: Prompt) -> int:
        """Return how many tokens an answer may have; 0 or less where the conversation is too long."""
        most = self._sampling.max_tokens
        return min(most, self._context - len(prompt.ids)) if self._context else most

    def write(self, prompts: Sequence[Prompt]) -> list[DecodedText]:
        """Return the answers to some prompts, written together; in halves where memory is too small.

        Raises:
            RunHalted: Where it is too small for one.
        """
        try:
            made = self._made(prompts)
        except (torch.OutOfMemoryError, RuntimeError) as error:
            if not _is_memory(error):
                raise
            if len(prompts) == 1:
                raise RunHalted(
                    f"{self._name}: out of memory for a conversation of {len(prompts[0].ids)} tokens: "
                    "take a smaller model or max_tokens"
                ) from error
            half = len(prompts) // 2
            return self.write(prompts[:half]) + self.write(prompts[half:])
        return [self._read(prompt, ids) for prompt, ids in zip(prompts, made, strict=True)]

    def _made(self, prompts: Sequence[Prompt]) -> list[list[int]]:
        width = max(len(prompt.ids) for prompt in prompts)
        pad = self._ends[0]
        ids = [[pad] * (width - len(each.ids)) + list(each.ids) for each in prompts]
        mask = [[0] * (width - len(each.ids)) + [1] * len(each.ids) for each in prompts]
        processors = LogitsProcessorList()
        if self._sampling.temperature:
            processors.append(SeededDraws([each.seed for each in prompts], self._sampling))
        with torch.inference_mode():
            made = self._model.generate(
                input_ids=torch.tensor(ids, device=self._device),
                attention_mask=torch.tensor(mask, device=self._device),
                max_new_tokens=max(map(self.room, prompts)),
                logits_processor=processors,
            )
        answers: list[list[int]] = made[:, width:].tolist()
        return answers

    def _read(self, prompt: Prompt, ids: Sequence[int]) -> DecodedText:
        # A shorter prompt may have more room than this one: each is cut at its own.
        ids = ids[: self.room(prompt)]
        end = next((at for at, token in enumerate(ids) if token in self._ends), None)
        own = ids if end is None else ids[:end]
        text = self._tokenizer.decode(own, skip_special_tokens=True)
        count = len(ids) if end is None else end + 1
        return DecodedText(text, len(prompt.ids), count, end is None)


def has_gpu() -> bool:
    """Whether there is a GPU to decode on."""
    return bool(torch.cuda.is_available())


def free_gpu_memory() -> int:
    """Return the bytes of the GPU's memory that are free."""
    return int(torch.cuda.mem_get_info()[0])


def _loaded(spec: FolderModel, device: str) -> Any:  # noqa: ANN401 - the library has no types here
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(spec.folder, dtype=dtype, **LOADED_WEIGHTS)
    if spec.adapter:
        from peft import PeftModel

        adapted = PeftModel.from_pretrained(model, str(Path(spec.adapter)))
        model = adapted.merge_and_unload()
    return model.to(device).eval()


def _ends(model: Any, tokenizer: Any) -> list[int]:  # noqa: ANN401 - no types
    """Return the tokens that end an answer."""
    own = model.generation_config.eos_token_id
    listed = own if isinstance(own, list) else [own]
    ends = [each for each in (tokenizer.eos_token_id, *listed) if each is not None]
    return list(dict.fromkeys(ends)) or [0]


def _is_memory(error: Exception) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
