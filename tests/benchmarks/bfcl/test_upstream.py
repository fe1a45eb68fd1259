import json
from collections.abc import Callable

import msgspec
import pytest

from dragoman.benchmarks.bfcl.prompts import read_prompt_texts
from dragoman.benchmarks.bfcl.upstream_data import PROMPTS, adopt_texts, bfcl_source, derive_texts
from dragoman.benchmarks.downloads.pinned_sources import Derived
from dragoman.core.errors import DataError

ENTRY = Derived(PROMPTS, ("constants.py", "prompting.py", "calling.py"))
HINTS = (
    "def _get_language_specific_hint(category):\n"
    '    return {"java": " In Java.", "js": " In JavaScript.", "": " In Python."}[category]\n'
)
NOTES = (
    "def _func_doc_language_specific_pre_processing(value):\n"
    "    texts = [' Any Java.', f\" Java {value['type']}.\", f' Of {value}s.', ' Any JavaScript.']\n"
    "    return [*texts, f' JavaScript {value}.', f' Of {value}.', f' Entries {value}']\n"
)
MODULES = {
    "constants.py": 'LIMIT = 20\nTASK = "Call."\n',
    "prompting.py": HINTS + NOTES,
    "calling.py": "def _cast_to_openai_type(kind):\n    return ' A float.'\n",
}
PROMPT_TEXTS = {
    "constants": {"LIMIT": 20, "TASK": "Call."},
    "language_notes": {
        "java": " In Java.",
        "javascript": " In JavaScript.",
        "python": " In Python.",
    },
    "parameter_notes": {
        "java": {"any": " Any Java.", "typed": " Java {}.", "elements": " Of {}s."},
        "javascript": {
            "any": " Any JavaScript.",
            "typed": " JavaScript {}.",
            "elements": " Of {}.",
            "entries": " Entries {}",
        },
    },
    "float_note": " A float.",
}


def test_prompts_are_read_from_the_texts_of_modules() -> None:
    assert derive_texts(ENTRY, MODULES) == PROMPT_TEXTS


def test_a_module_with_other_texts_is_refused() -> None:
    modules = MODULES | {"prompting.py": HINTS.replace(" In Python.", "") + NOTES}
    with pytest.raises(DataError, match="2 texts stand where java, javascript, python are"):
        derive_texts(ENTRY, modules)


def test_constants_of_one_module_are_its_names() -> None:
    entry = Derived("long_context.json", ("long_context.py",))
    assert derive_texts(entry, {"long_context.py": "CITIES = ['a', ...]\n"}) == {
        "CITIES": ["a", {"__ellipsis__": True}]
    }


def test_prompts_recorded_with_remarks_are_read_too() -> None:
    recorded = {
        "default_prompts": {"LIMIT": 20, "TASK": "Call."},
        "language_notes": {
            "appended_to": "every description",
            "python": " In Python.",
            "java": " In Java.",
            "javascript": " In JavaScript.",
            "java_parameter": {"1": " Any Java.", "2": " Java {type}.", "3": " Of {items.type}s."},
            "javascript_parameter": {
                "1": " Any JavaScript.",
                "2": " JavaScript {type}.",
                "3": " Of {items.type}.",
                "4": " Entries {properties as JSON}",
            },
        },
        "tool_schema_notes": {"float_parameter": " A float."},
    }
    assert adopt_texts(ENTRY, recorded) == PROMPT_TEXTS


@pytest.mark.parametrize("recorded", [{}, [], "x", {"default_prompts": {}}])
def test_a_copy_without_prompts_is_refused(recorded: object) -> None:
    with pytest.raises(DataError, match=r"prompts\.json of the local copy holds no prompts"):
        adopt_texts(ENTRY, recorded)


def test_a_copy_of_other_constants_is_taken_as_it_is() -> None:
    assert adopt_texts(Derived("long_context.json", ()), {"A": 1}) == {"A": 1}


def test_every_file_of_the_list_is_pinned_and_lies_in_the_package() -> None:
    source = bfcl_source()
    assert source.package is not None
    assert source.commit in source.package.wheel
    kinds = [file.kind for file in source.files]
    assert (kinds.count("data"), kinds.count("module"), kinds[0]) == (53, 4, "bundled_licence")
    assert all(entry.content_key for entry in source.derived)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"constants": {}}'])
def test_pulled_prompts_without_the_texts_are_refused(content: bytes) -> None:
    with pytest.raises(DataError, match=r"prompts\.json: .*data pull bfcl"):
        read_prompt_texts(content)


def test_the_real_local_copy_gives_the_licence_prompts_and_constants(
    read_bfcl: Callable[[str], bytes],
) -> None:
    assert b"Apache License" in read_bfcl("LICENSE")
    texts = read_prompt_texts(read_bfcl("prompts.json"))
    assert texts.float_note == " This is a float type value."
    assert texts.parameter_notes.java.typed.count("{}") == 1
    constants = msgspec.json.decode(read_bfcl("long_context.json"), type=dict[str, object])
    assert len(constants) == 16
    assert json.loads(read_bfcl("BFCL_v4_format_sensitivity.json"))


def test_the_real_local_copy_gives_every_conversation_with_its_functions_and_answers(
    read_bfcl: Callable[[str], bytes],
) -> None:
    def entries(name: str) -> int:
        return len([json.loads(line) for line in read_bfcl(name).splitlines()])

    turns = ("base", "miss_func", "miss_param", "long_context")
    for name in (*(f"multi_turn_{kind}" for kind in turns), "memory", "web_search"):
        count = entries(f"BFCL_v4_{name}.json")
        assert count == {"memory": 155, "web_search": 100}.get(name, 200)
        assert entries(f"possible_answer/BFCL_v4_{name}.json") == count
    before = {"customer": 10, "finance": 7, "healthcare": 5, "notetaker": 5, "student": 10}
    for scenario, count in before.items():
        assert entries(f"memory_prereq_conversation/memory_{scenario}.json") == count
    documents = {"memory_kv": 15, "memory_rec_sum": 5, "memory_vector": 12, "web_search": 2}
    for name, count in documents.items():
        assert entries(f"multi_turn_func_doc/{name}.json") == count
