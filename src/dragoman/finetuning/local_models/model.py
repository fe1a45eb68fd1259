"""A local model as a chat model: weights, tokenizer and batched decoding with torch.

Tokens are drawn by a seed for each conversation, so that the other requests of a batch change
nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    TopPLogitsWarper,
)

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, UnparsedReply
from dragoman.core.tools import openai_schema
from dragoman.core.usage import Usage
from dragoman.finetuning.local_models.batching import Batches
from dragoman.finetuning.local_models.replies import DecodedText, completion_body, knows_calls
from dragoman.finetuning.local_models.spec import FolderModel, Sampling, tokenizer_folder
from dragoman.finetuning.loss_masking import for_template
from dragoman.finetuning.model_folder import LOADED_TOKENIZER, LOADED_WEIGHTS
from dragoman.finetuning.torch_helpers import set_thread_count, silence_libraries
from dragoman.models.chat.completions import decode_completion


class SeededDraws(LogitsProcessor):  # type: ignore[misc]  # the library has no types here
    """Adds each row's own noise, so that the likeliest token is one drawn (the Gumbel-max trick).

    Args:
        seeds: One for each row.
        sampling: Temperature, above 0, and `top_p`.
    """

    def __init__(self, seeds: Sequence[int], sampling: Sampling) -> None:
        self._noise = [torch.Generator().manual_seed(seed % 2**63) for seed in seeds]
        self._temperature = sampling.temperature
        self._top = TopPLogitsWarper(sampling.top_p) if sampling.top_p < 1 else None

    def __call__(self, input_ids: Any, scores: Any) -> Any:  # noqa: ANN401 - no types
        """Return the scores of the next token with noise."""
        scores = scores.float() / self._temperature
        if self._top is not None:
            scores = self._top(input_ids, scores)
        width = scores.shape[-1]
        rows = [torch.empty(width).exponential_(generator=each) for each in self._noise]
        return scores - torch.stack(rows).log().to(scores.device)


class Prompt(msgspec.Struct, frozen=True):
    """A prompt: its tokens, and the seed of the draws."""

    ids: tuple[int, ...]
    seed: int


class FolderWords:
    """A model's tokenizer with its chat template.

    Raises:
        RunHalted: If the tokenizer cannot be loaded.
    """

    def __init__(self, spec: FolderModel) -> None:
        silence_libraries()
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
            RunHalted: If the template refuses the conversation.
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
        RunHalted: If the weights cannot be loaded.
    """

    def __init__(self, spec: FolderModel, words: FolderWords, *, on_gpu: bool) -> None:
        self._sampling = spec.sampling
        self._name = spec.name
        self._tokenizer = words.tokenizer
        self._device = "cuda" if on_gpu else "cpu"
        try:
            self._model = _load_model(spec, self._device)
        except torch.OutOfMemoryError as error:
            raise RunHalted(f"{spec.name}: out of memory while it was loaded") from error
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise RunHalted(f"{spec.name}: the model cannot be loaded: {_line(error)}") from error
        if not on_gpu:
            set_thread_count(self._model.num_parameters())
        self._ends = _ends(self._model, self._tokenizer)
        self._context = int(getattr(self._model.config, "max_position_embeddings", 0) or 0)
        # Otherwise, settings in a model's own file (temperatures, penalties) would apply where we
        # set nothing.
        self._model.generation_config = GenerationConfig(
            eos_token_id=self._ends, pad_token_id=self._ends[0], do_sample=False
        )

    def room(self, prompt: Prompt) -> int:
        """Return the maximum number of tokens of an answer.

        The number is 0 or less if the conversation is too long.
        """
        most = self._sampling.max_tokens
        return min(most, self._context - len(prompt.ids)) if self._context else most

    def write(self, prompts: Sequence[Prompt]) -> list[DecodedText]:
        """Return the answers to a batch of prompts, decoded together.

        If memory is too small, the batch is decoded in halves.

        Raises:
            RunHalted: If memory is too small for one prompt.
        """
        try:
            made = self._made(prompts)
        except (torch.OutOfMemoryError, RuntimeError) as error:
            if not _is_memory(error):
                raise
            if len(prompts) == 1:
                raise RunHalted(
                    f"{self._name}: out of memory for a conversation of {len(prompts[0].ids)} "
                    "tokens: "
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
    """Return whether there is a GPU to decode on."""
    return bool(torch.cuda.is_available())


def free_gpu_memory() -> int:
    """Return the bytes of the GPU's memory that are free."""
    return int(torch.cuda.mem_get_info()[0])


def _load_model(spec: FolderModel, device: str) -> Any:  # noqa: ANN401
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


class LocalModel:
    """Answers chat requests with the weights in a folder, which are loaded when first asked.

    Args:
        spec: The model.
        identity: The content key of everything that can change an answer.
        on_gpu: Whether it is loaded there.
    """

    def __init__(self, spec: FolderModel, identity: str, *, on_gpu: bool) -> None:
        self.name = spec.name
        self.identity = identity
        self._spec = spec
        self._on_gpu = on_gpu
        self._reading = ThreadPoolExecutor(1, "words")
        self._writing = ThreadPoolExecutor(1, "decoding")
        self._words: FolderWords | None = None
        self._decoder: BatchDecoder | None = None
        self._batches: Batches[Prompt, DecodedText] = Batches(
            lambda prompts: self._loaded().write(prompts),
            lambda prompt: len(prompt.ids),
            spec.sampling.batch,
            self._writing,
        )

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the model's reply.

        If the conversation has outgrown the model's context, the reply is unusable.

        Raises:
            RunHalted: If the model cannot be loaded or queried.
            ParticipantError: If decoding failed.
        """
        loop = asyncio.get_running_loop()
        decoder = self._decoder
        if decoder is None:
            decoder = await loop.run_in_executor(self._writing, self._loaded)
        prompt = await loop.run_in_executor(self._reading, self._prompt, request)
        if decoder.room(prompt) <= 0:
            detail = (
                f"the conversation is longer than the model's context: {len(prompt.ids)} tokens"
            )
            usage = Usage(purpose, self.name, 0, faults={"context": 1})
            return Completion(UnparsedReply("", detail), msgspec.Raw(b"null"), usage)
        try:
            made = await self._batches.ask(prompt)
        except RuntimeError as error:
            line = " ".join(str(error).split())[:300]
            raise ParticipantError(f"{self.name}: decoding broke: {line}") from error
        body = completion_body(made.answer, with_calls=len(request.tools) > 0)
        completion = decode_completion(body, self.name, purpose, Latency(made.seconds))
        usage = msgspec.structs.replace(completion.usage, seconds=made.seconds)
        return msgspec.structs.replace(completion, usage=usage)

    async def close(self) -> None:
        """Let the weights go once what is under way has ended."""
        for thread in (self._reading, self._writing):
            await asyncio.to_thread(thread.shutdown, cancel_futures=True)
        self._decoder = self._words = None

    def _loaded(self) -> BatchDecoder:
        """Return the model; runs in its thread."""
        if self._decoder is None:
            self._words = FolderWords(self._spec)
            self._decoder = BatchDecoder(self._spec, self._words, on_gpu=self._on_gpu)
        return self._decoder

    def _prompt(self, request: ChatRequest) -> Prompt:
        words = self._words
        if words is None:
            raise RunHalted(f"{self.name}: it is closed")
        tools = [openai_schema(tool) for tool in request.tools]
        if tools and not knows_calls(words.template):
            raise RunHalted(
                f"{self.name}: its chat template writes calls in a form that is not known here, "
                "where "
                "<tool_call>{JSON}</tool_call> is: serve it (vllm/...), or let it call in its text "
                "(calls=...)"
            )
        return Prompt(words.ids(request.messages, tools), request.seed)
