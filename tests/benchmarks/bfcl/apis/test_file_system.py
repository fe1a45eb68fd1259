"""GorillaFileSystem: the commands of a shell, with the reference's texts and oddities."""

from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.gorilla_file_system import (
    MAX_DEPTH,
    MAX_ENTRIES,
    GorillaFileSystem,
)
from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongTexts
from dragoman.core.errors import DataError


def folder(**contents: Any) -> dict[str, Any]:  # noqa: ANN401 - nodes of a scenario
    return {"type": "directory", "contents": contents}


def file(content: str) -> dict[str, str]:
    return {"type": "file", "content": content}


def scenario() -> dict[str, Any]:
    inner = folder(notes=file("b\na\nä b\n"), sub=folder(deep=file("x")))
    return {"root": {"home": folder(docs=inner, **{".hidden": file(""), "todo": file("one\ntwo")})}}


@pytest.fixture
def shell() -> Any:  # noqa: ANN401 - arguments of any type are passed
    return GorillaFileSystem(scenario(), None)


def long_texts() -> LongTexts:
    empty: dict[str, Any] = {
        name: "" if kind is str else [] if "list" in str(kind) else {}
        for name, kind in LongTexts.__annotations__.items()
    }
    return LongTexts(
        **{
            **empty,
            "file_content_extension": "+long",
            "populate_file_extension": ["one.jpg", "two.jpg"],
            "files_tail_used": ["todo"],
        }
    )


def test_without_a_scenario_there_is_an_empty_root_named_by_a_slash() -> None:
    shell = GorillaFileSystem({}, None)
    assert shell.state() == {"long_context": False, "root": {"/": {}}}
    assert shell.pwd() == {"current_working_directory": "//"}


def test_the_first_root_is_the_root() -> None:
    shell = GorillaFileSystem({"root": {"a": folder(), "b": folder(x=file(""))}}, None)
    assert shell.state()["root"] == {"a": {}}


def test_a_damaged_scenario_is_a_fault_of_the_data() -> None:
    for root in ({"a": {"type": "directory"}}, {"a": folder(x={"type": "file"})}, {}, "a"):
        with pytest.raises(DataError, match="file tree is damaged"):
            GorillaFileSystem({"root": root}, None)


def test_directories_are_entered_one_level_at_a_time(shell: Any) -> None:  # noqa: ANN401
    assert shell.cd("docs/") == {"current_working_directory": "docs"}
    assert shell.pwd() == {"current_working_directory": "/home/docs"}
    assert shell.cd("..") == {}
    assert "already the root" in shell.cd("..")["error"]
    assert "Only one folder level" in shell.cd("docs/sub")["error"]
    assert shell.cd("todo") == {"error": "cd: 'todo': No such file or directory"}
    shell.cd("docs")
    assert shell.cd("") == {"current_working_directory": "home"}


def test_hidden_names_are_listed_on_demand(shell: Any) -> None:  # noqa: ANN401
    assert shell.ls() == {"current_directory_content": ["docs", "todo"]}
    assert shell.ls(a=True) == {"current_directory_content": ["docs", ".hidden", "todo"]}


def test_names_are_made_once_and_without_some_characters(shell: Any) -> None:  # noqa: ANN401
    assert shell.mkdir("new") is None
    assert shell.touch("new") == {"error": "touch: cannot touch 'new': File exists"}
    assert shell.mkdir("a/b") == {
        "error": "mkdir: cannot create directory 'a/b': Invalid character"
    }
    assert shell.state()["root"]["home"]["new"] == {}


def test_texts_are_written_to_files_that_exist(shell: Any) -> None:  # noqa: ANN401
    assert shell.echo("x", "") == {"terminal_output": "x"}
    assert shell.echo("x", "none") == {"error": "echo: cannot write to 'none': No such file"}
    assert shell.echo("x", "todo") is None
    assert shell.cat("todo") == {"file_content": "x"}
    with pytest.raises(ApiRefusal, match="'_write'"):
        shell.echo("x", "docs")


def test_everything_below_is_found_by_a_part_of_its_name(shell: Any) -> None:  # noqa: ANN401
    assert shell.find() == {
        "matches": [
            "./docs",
            "./docs/notes",
            "./docs/sub",
            "./docs/sub/deep",
            "./.hidden",
            "./todo",
        ]
    }
    assert shell.find("docs/sub/", "e") == {"matches": ["docs/sub/deep"]}
    assert shell.find("/docs", "o") == {"matches": ["/docs/notes"]}
    assert shell.find("..") == {"error": "find: '..': No such file or directory"}


def test_lines_words_and_characters_are_counted(shell: Any) -> None:  # noqa: ANN401
    shell.cd("docs")
    assert shell.wc("notes") == {"count": 3, "type": "lines"}
    assert shell.wc("notes", "w") == {"count": 4, "type": "words"}
    assert shell.wc("notes", "c") == {"count": 8, "type": "characters"}
    assert shell.wc("notes", []) == {"error": "wc: invalid mode '[]'"}
    assert shell.wc("sub") == {"error": "wc: sub: No such file or directory"}


def test_lines_are_sorted_searched_and_cut(shell: Any) -> None:  # noqa: ANN401
    shell.cd("docs")
    assert shell.sort("notes") == {"sorted_content": "a\nb\nä b"}
    assert shell.grep("notes", "b") == {"matching_lines": ["b", "ä b"]}
    assert shell.tail("notes", 2) == {"last_lines": "a\nä b"}
    assert shell.tail("notes", 0) == {"last_lines": "b\na\nä b"}
    assert shell.tail("notes", -1) == {"last_lines": "a\nä b"}


def test_bytes_are_summed_below_the_current_directory(shell: Any) -> None:  # noqa: ANN401
    assert shell.du() == {"disk_usage": "17 bytes"}
    assert shell.du(human_readable=True) == {"disk_usage": "17.00 B"}
    shell.echo("x" * 3000, "todo")
    assert shell.du(human_readable=True) == {"disk_usage": "2.94 KB"}


def test_files_differ_line_by_line_as_far_as_the_shorter_goes(shell: Any) -> None:  # noqa: ANN401
    shell.touch("other")
    shell.echo("one\n2\n3", "other")
    assert shell.diff("todo", "other") == {"diff_lines": "- two\n+ 2"}
    assert shell.diff("todo", "docs") == {"error": "diff: todo or docs: No such file or directory"}


def test_moving_renames_or_puts_into_a_directory(shell: Any) -> None:  # noqa: ANN401
    assert shell.mv("todo", "done") == {"result": "'todo' moved to 'done'"}
    assert shell.mv("done", "docs") == {"result": "'done' moved to 'docs/done'"}
    shell.touch("done")
    assert shell.mv("done", "docs") == {
        "error": "mv: cannot move 'done' to 'docs/done': File exists"
    }
    assert shell.mv("done", ".hidden") == {
        "error": "mv: cannot move 'done' to '.hidden': Not a directory"
    }
    assert "path not allowed" in shell.mv("done", "docs/x")["error"]


def test_a_moved_directory_s_own_directories_lead_back_to_where_it_was(shell: Any) -> None:  # noqa: ANN401
    shell.mkdir("new")
    shell.mv("docs", "new")
    for name in ("new", "docs", "sub"):
        shell.cd(name)
    assert shell.pwd() == {"current_working_directory": "/home/docs/sub"}


def test_copies_are_separate_but_for_what_lies_in_a_copied_directory(shell: Any) -> None:  # noqa: ANN401
    assert shell.cp("todo", "docs") == {"result": "'todo' copied to 'docs/todo'"}
    shell.echo("changed", "todo")
    assert shell.cp("docs", "copy") == {"result": "'docs' copied to 'copy'"}
    shell.cd("copy")
    assert shell.cat("todo") == {"file_content": "one\ntwo"}
    shell.echo("both", "notes")
    shell.rm("sub")
    root = shell.state()["root"]["home"]
    assert root["docs"] == {"notes": "both", "sub": {"deep": "x"}, "todo": "one\ntwo"}
    assert root["copy"] == {"notes": "both", "todo": "one\ntwo"}


def test_copying_over_a_name_that_exists_breaks(shell: Any) -> None:  # noqa: ANN401
    shell.cp("todo", "docs")
    with pytest.raises(ApiRefusal, match="File 'todo' already exists in directory 'docs'"):
        shell.cp("todo", "docs")


def test_only_empty_directories_are_removed_as_such(shell: Any) -> None:  # noqa: ANN401
    assert shell.rmdir("docs") == {"error": "rmdir: cannot remove 'docs': Directory not empty"}
    assert shell.rmdir("todo") == {"error": "rmdir: cannot remove 'todo': Not a directory"}
    assert shell.rm("docs") == {"result": "'docs' removed"}
    assert shell.rm("docs") == {"error": "rm: cannot remove 'docs': No such file or directory"}


def test_a_directory_copied_into_itself_holds_what_it_was(shell: Any) -> None:  # noqa: ANN401
    shell.cd("docs")
    assert shell.cp("sub", "sub") == {"result": "'sub' copied to 'sub/sub'"}
    assert shell.state()["root"]["home"]["docs"]["sub"] == {"deep": "x", "sub": {"deep": "x"}}


def test_a_directory_moved_into_itself_is_gone(shell: Any) -> None:  # noqa: ANN401
    assert shell.mv("docs", "docs") == {"result": "'docs' moved to 'docs/docs'"}
    assert shell.state()["root"]["home"] == {".hidden": "", "todo": "one\ntwo"}


def test_directories_are_nested_up_to_a_bound(shell: Any) -> None:  # noqa: ANN401
    for _ in range(MAX_DEPTH - 1):
        shell.mkdir("down")
        shell.cd("down")
    with pytest.raises(ApiRefusal, match=f"more than {MAX_DEPTH} deep"):
        shell.mkdir("down")
    shell.cd("/")
    shell.mkdir("top")
    before = shell.state()
    with pytest.raises(ApiRefusal, match=f"more than {MAX_DEPTH} deep"):
        shell.mv("down", "top")
    assert shell.state() == before


def test_copies_of_copies_end_at_a_bound(shell: Any) -> None:  # noqa: ANN401
    shell.mkdir("bomb")

    def double(times: int) -> None:
        for number in range(times):
            shell.cp("bomb", f"copy{number}")
            shell.mv(f"copy{number}", "bomb")

    with pytest.raises(ApiRefusal, match=f"more than {MAX_ENTRIES} files and directories"):
        double(40)


def test_a_state_that_was_asked_for_stays_what_it_was(shell: Any) -> None:  # noqa: ANN401
    before = shell.state()
    shell.rm("todo")
    assert "todo" in before["root"]["home"]
    assert "todo" not in shell.state()["root"]["home"]


def test_long_contexts_lengthen_files_and_fill_the_innermost_directories() -> None:
    shell = GorillaFileSystem(scenario(), long_texts())
    assert shell.state() == {
        "long_context": True,
        "root": {
            "home": {
                "docs": {
                    "notes": "b\na\nä b\n+long",
                    "sub": {"deep": "x+long", "one.jpg": "", "two.jpg": ""},
                },
                ".hidden": "+long",
                "todo": "one\ntwo",
            }
        },
    }


def test_a_name_that_long_contexts_add_must_be_free() -> None:
    taken = {"root": {"a": folder(**{"two.jpg": file("")})}}
    with pytest.raises(DataError, match=r"'two\.jpg' already exists"):
        GorillaFileSystem(taken, long_texts())
