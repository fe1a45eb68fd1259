"""Run folders of MM-tau-p2's code: three literals a task, never evaluated."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.papers.mm_tau.run_folders import (
    FILES,
    FolderMessage,
    is_run_folder,
    messages_literal,
    read_messages,
    read_tasks,
)

HELLO = "[{'role': 'user', 'content': 'Hello.'}]"


def lay(folder: Path, **contents: str) -> Path:
    """Write one task, by default with the same greeting in its three files."""
    task = folder / "task-1"
    task.mkdir(parents=True)
    for file, text in dict.fromkeys(FILES, HELLO).items():
        (task / file).write_text(contents.get(file.partition(".")[0], text), "utf-8")
    (folder / "console.log").mkdir()
    return folder


def test_a_folder_is_read_as_the_code_reads_it(tmp_path: Path) -> None:
    heard = """[{"role": 'user', 'content': "Hallo, it's \\"me\\"\\n\\u00e9"}]"""
    folder = lay(tmp_path / "theirs", implementation_actual=heard)
    assert is_run_folder(folder)
    (task,) = read_tasks(folder)
    assert task.name == "task-1"
    assert task.text == task.intended == (FolderMessage("user", "Hello."),)
    assert task.heard == (FolderMessage("user", 'Hallo, it\'s "me"\né'),)
    assert not is_run_folder(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "[{'role': 'user', 'content': open('/etc/passwd').read()}]",
        "[{'role': 'user', 'content': 'a' * 100000000}]",
        "[" * 100_000,
        "-" * 100_000 + "1",
        "1+" * 50_000 + "1",
        "(" * 5_000 + ")" * 5_000,
        "[{'role': 'user', 'content': f'{1}'}]",
        "[{'role': 'user', 'content': b'x'}]",
        "[{'role': 'user', 'content': 'x'",
        "[{'role': 'user', 'content': " + "9" * 5_000 + "}]",
        "[{'role': 'user', 'content': ['x']}]",
        "[{'role': 'system', 'content': 'x'}]",
        "[{'role': 'user', 'content': 'x'} for x in 'abc']",
        "[{1, 2}]",
        "[]" + "[1]" * 100_000,
        "not " * 100_000 + "1",
        "a" + ".b" * 100_000,
        "[{'role': 'user', 'content': lambda: 1}]",
        "{}",
        "",
        "null",
        "[{'role': 'user', 'content': '\\x",
    ],
)
def test_what_is_no_list_of_messages_is_refused_and_not_evaluated(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(DataError, match=r"ground\.txt: "):
        read_tasks(lay(tmp_path, ground=text))


def test_a_folder_whose_files_do_not_fit_is_refused(tmp_path: Path) -> None:
    two = "[{'role': 'user', 'content': 'a'}, {'role': 'assistant', 'content': 'b'}]"
    with pytest.raises(DataError, match="must be the same conversation"):
        read_tasks(lay(tmp_path / "a", implementation_llm=two))
    folder = lay(tmp_path / "b")
    (folder / "task-1" / "ground.txt").unlink()
    with pytest.raises(DataError, match=r"ground\.txt: missing: the source's code would set"):
        read_tasks(folder)
    large = lay(tmp_path / "c", ground=f"['{'x' * 4 * 1024 * 1024}']")
    with pytest.raises(DataError, match="larger than 4,194,304 bytes"):
        read_tasks(large)


@settings(max_examples=30)
@given(
    st.lists(
        st.builds(
            FolderMessage, st.sampled_from(("user", "assistant", "tool")), st.none() | st.text()
        ),
        max_size=4,
    )
)
def test_what_is_written_is_read_again(found: list[FolderMessage]) -> None:
    assert read_messages(messages_literal(found), "x") == tuple(found)
