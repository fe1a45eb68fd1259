import json

import pytest

from dragoman.testing.chat_requests import Checks, Refusal
from dragoman.testing.responses import (
    DIMENSIONS,
    EmbeddingBody,
    encode_embeddings,
    read_embedding_request,
    word_vector,
)


def similarity(one: str, other: str) -> float:
    first, second = word_vector(one), word_vector(other)
    lengths = sum(x * x for x in first) * sum(x * x for x in second)
    return float(sum(x * y for x, y in zip(first, second, strict=True)) / lengths**0.5)


def test_texts_that_share_words_are_near_each_other() -> None:
    assert similarity("Red lamps", "red, LAMPS!") == pytest.approx(1)
    assert similarity("a red lamp", "the red lamp") > similarity("a red lamp", "my name is Ann")


def test_every_text_has_a_direction() -> None:
    assert len(word_vector("")) == DIMENSIONS
    assert any(word_vector("?!"))


def test_one_text_may_stand_alone() -> None:
    request = read_embedding_request(b'{"model": "m", "input": "hello"}', Checks())
    assert request == EmbeddingBody("m", "hello")
    assert isinstance(request, EmbeddingBody)
    answer = json.loads(encode_embeddings(request, 40))
    assert [entry["embedding"] for entry in answer["data"]] == [word_vector("hello")]
    assert answer["usage"]["prompt_tokens"] == answer["usage"]["total_tokens"] > 0


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{}", "not a request for embeddings"),
        (b'{"model": "m", "input": [1]}', "not a request for embeddings"),
        (b'{"model": "m", "input": []}', "input holds 0 texts"),
        (b'{"model": "x", "input": "a"}', "no model 'x' here"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(body: bytes, why: str) -> None:
    refusal = read_embedding_request(body, Checks(models=("m",)))
    assert isinstance(refusal, Refusal)
    assert why in refusal.message
