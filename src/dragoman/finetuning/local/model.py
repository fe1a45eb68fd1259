"""A model in a folder as a chat model: batched, in a thread of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import msgspec

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, UnparsedReply
from dragoman.core.tools import openai_schema
from dragoman.core.usage import Usage
from dragoman.finetuning.local.batches import Batches
from dragoman.finetuning.local.decoding import BatchDecoder, FolderWords, Prompt
from dragoman.finetuning.local.replies import DecodedText, completion_body, knows_calls
from dragoman.finetuning.local.spec import FolderModel
from dragoman.models.chat.completions import decode_completion


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
        """Return the model's reply; a conversation that has outgrown its context is an unusable one.

        Raises:
            RunHalted: Where the model cannot be loaded or asked.
            ParticipantError: Where decoding broke.
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
                f"{self.name}: its chat template writes calls in a form that is not known here, where "
                "<tool_call>{JSON}</tool_call> is: serve it (vllm/...), or let it call in its text "
                "(calls=...)"
            )
        return Prompt(words.ids(request.messages, tools), request.seed)
