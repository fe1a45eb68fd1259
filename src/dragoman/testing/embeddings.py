"""Embeddings without a model: vectors that are near where texts share words, always the same."""

import hashlib

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.chat_requests import Checks, Refusal
from dragoman.testing.completions import count_tokens

DIMENSIONS = 64
_MOST_TEXTS = 2_048


class EmbeddingBody(msgspec.Struct, frozen=True):
    """A request's body as far as answers depend on it."""

    model: str
    input: str | tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, also where one stands alone."""
        return (self.input,) if isinstance(self.input, str) else self.input


def read_embedding_request(body: bytes, checks: Checks) -> EmbeddingBody | Refusal:
    """Decode and check a request's body."""
    try:
        request = msgspec.json.decode(body, type=EmbeddingBody)
    except DECODING_ERRORS as error:
        return Refusal(f"the body is not a request for embeddings: {error}")
    if checks.models and request.model not in checks.models:
        return Refusal(f"no model '{request.model}' here", "model", "model_not_found", 404)
    if not 0 < len(request.texts) <= _MOST_TEXTS:
        return Refusal(f"input holds {len(request.texts)} texts", "input")
    return request


def word_vector(text: str) -> list[float]:
    """Return a text's vector: each of its words adds 1 in one of the dimensions; none is all 0."""
    # The first dimension belongs to no word, so that a text without words has a direction too.
    vector = [0.1] + [0.0] * (DIMENSIONS - 1)
    for word in "".join(sign if sign.isalnum() else " " for sign in text.lower()).split():
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        vector[1 + int.from_bytes(digest) % (DIMENSIONS - 1)] += 1.0
    return vector


def encode_embeddings(request: EmbeddingBody, size: int) -> bytes:
    """Return the answer to a request whose body has so many bytes."""
    tokens = count_tokens(size)
    return msgspec.json.encode(
        {
            "object": "list",
            "model": request.model,
            "data": [
                {"object": "embedding", "index": index, "embedding": word_vector(text)}
                for index, text in enumerate(request.texts)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    )
