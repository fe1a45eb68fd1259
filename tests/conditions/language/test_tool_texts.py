import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.benchmarks.kit import calculator, environment, tool_schemas
from dragoman.benchmarks.tau2 import domains
from dragoman.conditions.language.tool_messages import (
    UNKNOWN,
    codes_without_text,
    translate_refusal,
    translate_success_message,
)

LANGUAGES = ("vi", "th", "id", "tl", "zh")
DOMAINS = ("airline", "retail", "telecom")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_shipped_languages_have_a_text_for_every_code(domain: str, language: str) -> None:
    assert codes_without_text(language, domain) == ()


def test_a_refusal_is_said_in_the_language_with_what_it_names() -> None:
    assert translate_refusal("id", "retail", "Error: Order not found") == (
        "Kesalahan: Pesanan tidak ditemukan"
    )
    assert translate_refusal(
        "vi", "airline", "Error: Flight HAT001 not found on date 2024-05-01"
    ) == ("Lỗi: Không tìm thấy chuyến bay HAT001 vào ngày 2024-05-01")
    assert translate_refusal("th", "telecom", "Error: Tool 'x' not found.") == (
        "ข้อผิดพลาด: ไม่พบเครื่องมือ 'x'"
    )


def test_fixed_texts_count_before_templates_that_would_fit_too() -> None:
    assert (
        translate_refusal("vi", "retail", "Error: User not found")
        == "Lỗi: Không tìm thấy người dùng"
    )
    assert translate_refusal("vi", "retail", "Error: 1008 not found") == "Lỗi: Không tìm thấy 1008"


def test_a_refusal_without_a_text_has_a_code_before_its_english_words() -> None:
    assert translate_refusal("ms", "retail", "Error: Order not found") == (
        "Error: [order_not_found] Order not found"
    )
    assert translate_refusal("vi", "retail", "Error: the shelf fell over") == (
        f"Lỗi: [{UNKNOWN}] the shelf fell over"
    )
    assert "order_not_found" in codes_without_text("ms", "retail")


def test_a_refusal_beyond_all_bounds_is_not_matched() -> None:
    long = f"Error: Flight {'x' * 5_000} not found"
    assert translate_refusal("vi", "airline", long).startswith(f"Lỗi: [{UNKNOWN}] Flight xxx")


def test_messages_of_success_have_texts_too() -> None:
    assert translate_success_message("id", "Transfer successful") == "Pengalihan berhasil"
    assert translate_success_message("id", "Something else") is None
    assert translate_success_message("ms", "Transfer successful") is None


ACCIDENTS = {"'Line' object has no attribute 'value'"}
"""Python's own errors, which the reference raises, and we under its rules alone.

They are not texts of a tool.
"""


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_refusal_in_the_worlds_code_is_recognised(domain: str) -> None:
    shared = (environment, calculator, tool_schemas)
    folder = Path(domains.__file__).parent
    files = [*folder.glob(f"{domain}_*.py"), *(Path(str(module.__file__)) for module in shared)]
    refusals = {text for file in files for text in refusals_in(ast.parse(file.read_text("utf-8")))}
    refusals -= ACCIDENTS
    assert len(refusals) > 15
    unknown = [
        text for text in refusals if UNKNOWN in translate_refusal("vi", domain, f"Error: {text}")
    ]
    assert unknown == []


def refusals_in(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of refusals of tools; each slot is one word.

    Classes that set an environment up before a conversation refuse no agent.
    """
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.ClassDef(name=name) if "Setup" in name:
                continue
            case ast.Call(func=ast.Name(id="ToolError"), args=[ast.Constant(value=str(text))]):
                yield text
            case ast.Call(func=ast.Name(id="ToolError"), args=[ast.JoinedStr(values=parts)]):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "Line" for part in parts
                )
            case _:
                yield from refusals_in(node)
