"""Passages that many prompts share are found word for word, in any surroundings."""

from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.tiny_model import shared_passages, texts_without

POLICY = "Answer with calls of functions, and with nothing else around them."
RAIN = '{"name":"rain","description":"Says whether it rains, and where."}'
SNOW = '{"name":"snow","description":"Says whether it snows, and where."}'
NATIVE: dict[str, object] = {"name": "tide", "description": "Says how high the water stands."}


def row(number: int, system: str, *tools: dict[str, object]) -> TrainingExample:
    said: dict[str, object] = {
        "role": "user",
        "content": f"A question that nobody else asks, number {number}, today",
    }
    return TrainingExample(f"r{number}", ({"role": "system", "content": system}, said), tools)


def test_lines_of_instructions_and_functions_in_lists_are_passages() -> None:
    rows = [row(n, f"{POLICY}\n[{RAIN},{SNOW}]") for n in range(9)]

    assert set(shared_passages(rows)) == {POLICY, RAIN, SNOW}


def test_native_functions_are_passages_as_templates_show_them() -> None:
    rows = [row(n, "", {"type": "function", "function": NATIVE}) for n in range(8)]

    assert shared_passages(rows) == [
        '{"name": "tide", "description": "Says how high the water stands."}'
    ]


def test_what_few_rows_have_or_users_say_is_none() -> None:
    rows = [row(n, POLICY if n < 7 else RAIN) for n in range(15)]

    assert shared_passages(rows) == [RAIN]


def test_words_of_passages_are_left_out_and_others_stay() -> None:
    assert list(
        texts_without([f"{POLICY}\nNow [{SNOW}]", f"[{RAIN},{SNOW}]"], [POLICY, SNOW, RAIN])
    ) == [
        f"Now [{SNOW}]",
        "",
    ]
