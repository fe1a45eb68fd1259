import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.downloads.pinned_data import PullReport, open_file, pull, pulled_state
from dragoman.benchmarks.downloads.pinned_sources import INDEX, Derived, PinnedSource, load_source
from dragoman.benchmarks.tau2.upstream_data import derive_schemas, tau2_source
from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.testing.upstream import UpstreamFault, serve_folder, upstream_stand_in

SOURCE, FILES = upstream_stand_in()
DB = "data/tau2/domains/retail/db.json"
SCHEMAS = "retail/tools_openai.json"
NOWHERE = "http://127.0.0.1:1/"
HINT = "run `dragoman data pull tau2`"
SHORT = {file.path: file.name for file in SOURCE.files}


def fill(target: Path, source: PinnedSource = SOURCE, **options: object) -> PullReport:
    return pull(source, target, derive=derive_schemas, **options)  # type: ignore[arg-type]


def fill_from_server(
    target: Path, fault: UpstreamFault, path: str = DB, **options: object
) -> PullReport:
    with serve_folder(FILES, {path: fault}) as url:
        return fill(target, SOURCE, url=url, **options)


def refusal(target: Path, fault: UpstreamFault, path: str = DB, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        fill_from_server(target, fault, path, **options)
    assert not (target / INDEX).exists()
    return one_line(caught.value)


def one_line(error: Exception) -> str:
    text = str(error)
    assert text.isprintable()
    return text


def lay_out(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def with_pin(content_key: str) -> PinnedSource:
    entry = msgspec.structs.replace(SOURCE.derived[0], content_key=content_key)
    return msgspec.structs.replace(SOURCE, derived=(entry,))


@pytest.fixture
def pulled(tmp_path: Path) -> Path:
    local = lay_out(tmp_path / "local", FILES)
    fill(tmp_path / "data", from_dir=local)
    return tmp_path / "data"


# From a server


def test_a_pull_places_every_file_under_its_short_name_and_leaves_nothing_else(
    tmp_path: Path,
) -> None:
    with serve_folder(FILES) as url:
        report = fill(tmp_path, url=url)
    kept = {file.name for file in SOURCE.files if file.kept} | {SCHEMAS}
    assert set(report.written) == kept
    assert report.kept == ()
    assert tree(tmp_path) == kept | {INDEX}
    assert (tmp_path / "retail/db.json").read_bytes() == FILES[DB]


def test_the_index_says_where_the_files_came_from_and_under_which_licence(tmp_path: Path) -> None:
    with serve_folder(FILES) as url:
        fill(tmp_path, url=url.removesuffix("/"))
    index = json.loads((tmp_path / INDEX).read_bytes())
    assert index["origin"] == url
    assert (index["source"], index["commit"]) == (SOURCE.name, SOURCE.commit)
    assert (index["licence"], index["notice"]) == ("MIT", SOURCE.notice)
    assert index["files"]["retail/db.json"] == SOURCE.files[1].sha256
    assert index["pinned"] == {SCHEMAS: True}


def test_a_second_pull_downloads_nothing_and_says_so(tmp_path: Path) -> None:
    with serve_folder(FILES) as url:
        first = fill(tmp_path, url=url)
    before = (tmp_path / INDEX).read_bytes()
    second = fill(tmp_path, url=NOWHERE)
    assert set(second.kept) == set(first.written)
    assert second.written == ()
    assert second.message == f"stand-in: all 6 files are already in {tmp_path}"
    assert (tmp_path / INDEX).read_bytes() == before


def test_a_pull_repairs_only_what_is_damaged(tmp_path: Path) -> None:
    with serve_folder(FILES) as url:
        fill(tmp_path, url=url)
        (tmp_path / "retail/db.json").write_bytes(b"{}")
        (tmp_path / SCHEMAS).unlink()
        report = fill(tmp_path, url=url)
    assert report.written == ("retail/db.json", SCHEMAS)
    assert "2 files written" in report.message
    assert "4 were already present" in report.message


def test_progress_counts_up_to_the_bytes_of_all_files(tmp_path: Path) -> None:
    reported: list[tuple[str, int, int]] = []
    with serve_folder(FILES) as url:
        fill(tmp_path, url=url, progress=lambda *step: reported.append(step))
    total = sum(map(len, FILES.values()))
    counts = [done for _, done, _ in reported]
    assert counts == sorted(counts)
    assert counts[-1] == total
    assert {total for _, _, total in reported} == {total}
    assert {name for name, _, _ in reported} == set(SHORT.values())


def test_a_redirect_is_followed(tmp_path: Path) -> None:
    with serve_folder(FILES) as other:
        fill_from_server(tmp_path, UpstreamFault(status=302, headers={"Location": other + DB}))
    assert (tmp_path / "retail/db.json").read_bytes() == FILES[DB]


def test_a_packed_answer_is_unpacked(tmp_path: Path) -> None:
    packed = UpstreamFault(body=gzip.compress(FILES[DB]), headers={"Content-Encoding": "gzip"})
    fill_from_server(tmp_path, packed)
    assert (tmp_path / "retail/db.json").read_bytes() == FILES[DB]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (UpstreamFault(status=503, body=b"busy"), "503"),
        (UpstreamFault(cut=100), "IncompleteRead(100 bytes read"),
        (UpstreamFault(body=b"something else"), "sha256"),
        (UpstreamFault(body=FILES[DB] + b"\n"), f"more than {len(FILES[DB])} bytes"),
        (UpstreamFault(headers={"Content-Encoding": "br"}), "unknown content encoding br"),
        (UpstreamFault(headers={"Content-Encoding": "gzip"}), "gzip"),
        (UpstreamFault(status=302, headers={"Location": "file:///etc/passwd"}), "not allowed"),
        (UpstreamFault(status=302, headers={"Location": "ftp://127.0.0.1/x"}), "ftp"),
        (UpstreamFault(status=302, headers={"Location": "http://[/x"}), "IPv6"),
        (
            UpstreamFault(status=302, headers={"Location": f"http://127.0.0.1:{10**30}/x"}),
            "too large",
        ),
        (UpstreamFault(status=302, headers={"Location": f"/{DB}"}), "infinite loop"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_faulty_answer_is_refused_with_address_reason_and_way_out(
    tmp_path: Path, fault: UpstreamFault, reason: str
) -> None:
    text = refusal(tmp_path, fault)
    assert f"{DB}" in text
    assert reason in text
    assert "--from DIR" in text
    assert "--url URL" in text


def test_a_file_that_the_server_does_not_have_is_told(tmp_path: Path) -> None:
    rest = {path: content for path, content in FILES.items() if path != DB}
    with serve_folder(rest) as url, pytest.raises(DataError, match=rf"{DB} .*404.*--url URL"):
        fill(tmp_path, url=url)


def test_wrong_content_is_told_with_both_hashes(tmp_path: Path) -> None:
    text = refusal(tmp_path, UpstreamFault(body=b"{}"))
    assert text.startswith("retail/db.json is not the pinned file")
    assert SOURCE.files[1].sha256[:12] in text
    assert "44136fa355b3" in text


def test_a_wrong_licence_text_is_refused(tmp_path: Path) -> None:
    assert "LICENSE is not the pinned file" in refusal(
        tmp_path, UpstreamFault(body=b"free"), "LICENSE"
    )


def test_a_server_that_hangs_is_given_up(tmp_path: Path) -> None:
    assert "timed out" in refusal(tmp_path, UpstreamFault(delay=30), timeout=0.1)


def test_a_server_that_trickles_is_given_up(tmp_path: Path) -> None:
    text = refusal(tmp_path, UpstreamFault(pace=0.01), timeout=0.02)
    assert "takes too long" in text or "timed out" in text


def test_an_answer_that_unfolds_without_end_is_cut_off(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(1_000_000))
    text = refusal(tmp_path, UpstreamFault(body=bomb, headers={"Content-Encoding": "gzip"}))
    assert f"more than {len(FILES[DB])} bytes" in text


def test_a_refused_connection_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"127\.0\.0\.1:1/LICENSE cannot be fetched .*--from DIR"):
        fill(tmp_path, url=NOWHERE)
    assert tree(tmp_path) == set()


def test_credentials_in_an_address_are_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--url holds credentials") as caught:
        fill(tmp_path, url="http://me:hunter2@127.0.0.1:1/")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "ftp://example.org/", "file:///etc/", "http://", "http://[", "http://a:99999/"]
)
def test_what_is_no_web_address_is_a_usage_error(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="is not a web address"):
        fill(tmp_path, url=url)


def test_a_folder_and_an_address_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        fill(tmp_path, url=NOWHERE, from_dir=tmp_path)


# State after a failure


def test_files_fetched_before_a_failure_are_kept_for_the_next_pull(tmp_path: Path) -> None:
    refusal(tmp_path, UpstreamFault(status=500), "data/tau2/domains/retail/policy.md")
    assert tree(tmp_path) == {"LICENSE", "retail/db.json"}
    with serve_folder(FILES) as url:
        report = fill(tmp_path, url=url)
    assert set(report.kept) == {"LICENSE", "retail/db.json"}


def test_a_failed_repair_leaves_no_index_of_a_folder_that_is_not_whole(pulled: Path) -> None:
    (pulled / "retail/db.json").write_bytes(b"{}")
    refusal(pulled, UpstreamFault(status=500))


def test_an_interruption_between_writing_and_naming_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fill(tmp_path / "data", from_dir=lay_out(tmp_path / "local", FILES))
    assert tree(tmp_path / "data") == set()


@pytest.mark.chaos
def test_a_pull_that_is_killed_leaves_whole_files_and_no_index(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from dragoman.benchmarks.downloads.pinned_data import pull\n"
        "from dragoman.benchmarks.tau2.upstream_data import derive_schemas\n"
        "from dragoman.testing.upstream import upstream_stand_in\n"
        "source, _ = upstream_stand_in()\n"
        "pull(source, pathlib.Path(sys.argv[1]), derive=derive_schemas, url=sys.argv[2])\n"
    )
    with serve_folder(
        FILES, {"data/tau2/domains/retail/policy.md": UpstreamFault(delay=60)}
    ) as url:
        process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path), url])
        deadline = time.monotonic() + 30
        while not (tmp_path / "retail/db.json").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.wait()
    assert tree(tmp_path) == {"LICENSE", "retail/db.json"}
    assert open_file(tmp_path, SOURCE, "retail/db.json", HINT) == FILES[DB]


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"cannot be written .No space left on device.*make room"):
        fill(tmp_path / "data", from_dir=lay_out(tmp_path / "local", FILES))
    assert tree(tmp_path / "data") == set()


def test_a_target_that_is_no_folder_is_told_in_one_line(tmp_path: Path) -> None:
    lay_out(tmp_path, {"occupied": b""})
    with pytest.raises(StoreError, match=r"occupied: a file, .*choose another folder"):
        fill(tmp_path / "occupied", from_dir=lay_out(tmp_path / "local", FILES))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only folder")
def test_a_read_only_target_is_told_in_one_line(tmp_path: Path) -> None:
    target = tmp_path / "data"
    target.mkdir(mode=0o500)
    with pytest.raises(StoreError, match=r"cannot be written .*choose another folder"):
        fill(target, from_dir=lay_out(tmp_path / "local", FILES))


def test_a_complete_target_is_not_written_to_at_all(
    pulled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    assert fill(pulled, url=NOWHERE).written == ()


# From a local copy


@pytest.mark.parametrize("short", [False, True], ids=["upstream layout", "short names"])
@pytest.mark.parametrize("packed", [False, True], ids=["raw", "packed"])
def test_a_local_copy_may_have_either_layout_raw_or_packed(
    tmp_path: Path, short: bool, packed: bool
) -> None:
    files = {SHORT[path] if short else path: content for path, content in FILES.items()}
    if packed:
        files = {f"{name}.gz": gzip.compress(content) for name, content in files.items()}
    fill(tmp_path / "data", from_dir=lay_out(tmp_path / "local", files))
    assert (tmp_path / "data/retail/db.json").read_bytes() == FILES[DB]
    assert json.loads((tmp_path / "data" / INDEX).read_bytes())["origin"] == "local copy"


def test_schemas_that_a_local_copy_holds_are_taken_and_no_module_is_needed(
    pulled: Path, tmp_path: Path
) -> None:
    files = {path: content for path, content in FILES.items() if path.startswith(("data", "LIC"))}
    recorded = json.dumps(json.loads((pulled / SCHEMAS).read_bytes())).encode()
    local = lay_out(tmp_path / "other", files | {SCHEMAS: recorded})
    fill(tmp_path / "again", from_dir=local)
    assert open_file(tmp_path / "again", SOURCE, SCHEMAS, HINT) == recorded


@pytest.mark.parametrize("content", [b"[]", b"not JSON", b"[" * 100_000, b"\xff", b'"\xff"'])
def test_schemas_of_a_local_copy_that_are_not_the_pinned_ones_are_refused(
    tmp_path: Path, content: bytes
) -> None:
    local = lay_out(tmp_path / "local", FILES | {SCHEMAS: content})
    with pytest.raises(DataError, match=f"{SCHEMAS} (is not JSON|does not hold the pinned)"):
        fill(tmp_path / "data", from_dir=local)


def test_composed_schemas_that_are_not_the_pinned_ones_are_refused_and_the_rest_is_pulled(
    tmp_path: Path,
) -> None:
    local = lay_out(tmp_path / "local", FILES)
    with pytest.raises(DataError, match=r"tools_openai\.json does not hold the pinned") as bad:
        fill(tmp_path / "data", with_pin("f" * 32), from_dir=local)
    assert "retail/tools.py" in one_line(bad.value)
    with pytest.raises(DataError, match="run it"):
        open_file(tmp_path / "data", with_pin("f" * 32), "retail/tools_openai.json", "run it")
    assert open_file(tmp_path / "data", with_pin("f" * 32), "retail/db.json", "run it")


def test_schemas_without_a_pin_are_composed_anew_and_the_index_says_so(tmp_path: Path) -> None:
    local = lay_out(tmp_path / "local", FILES)
    fill(tmp_path / "data", with_pin(""), from_dir=local)
    assert fill(tmp_path / "data", with_pin(""), from_dir=local).written == (SCHEMAS,)
    assert json.loads((tmp_path / "data" / INDEX).read_bytes())["pinned"] == {SCHEMAS: False}


def test_composing_is_given_the_texts_of_the_modules(tmp_path: Path) -> None:
    def derive(entry: Derived, modules: Mapping[str, str]) -> object:
        assert entry == SOURCE.derived[0]
        assert {name: text.encode() for name, text in modules.items()} == {
            "retail/tools.py": FILES["src/tau2/domains/retail/tools.py"],
            "retail/data_model.py": FILES["src/tau2/domains/retail/data_model.py"],
        }
        return derive_schemas(entry, modules)

    pull(SOURCE, tmp_path / "data", derive=derive, from_dir=lay_out(tmp_path / "local", FILES))


def test_a_file_that_a_local_copy_lacks_is_told_with_both_places(tmp_path: Path) -> None:
    local = lay_out(tmp_path / "local", FILES)
    (local / DB).unlink()
    with pytest.raises(DataError) as caught:
        fill(tmp_path / "data", from_dir=local)
    text = one_line(caught.value)
    assert text.startswith(f"retail/db.json is not in {local}")
    assert f"{DB} and retail/db.json" in text
    assert not (tmp_path / "data" / INDEX).exists()


def test_a_local_file_that_unfolds_without_end_is_cut_off(tmp_path: Path) -> None:
    local = lay_out(tmp_path / "local", FILES | {f"{DB}.gz": gzip.compress(bytes(50_000_000))})
    (local / DB).unlink()
    with pytest.raises(DataError, match=f"more than {len(FILES[DB])} bytes"):
        fill(tmp_path / "data", from_dir=local)


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(FILES[DB])[:-20]])
def test_a_damaged_packed_local_file_is_refused(tmp_path: Path, content: bytes) -> None:
    local = lay_out(tmp_path / "local", FILES | {f"{DB}.gz": content})
    (local / DB).unlink()
    with pytest.raises(DataError, match=r"retail/db\.json") as caught:
        fill(tmp_path / "data", from_dir=local)
    one_line(caught.value)


@pytest.mark.parametrize("name", ["absent", "file", "x" * 5000])
def test_a_local_copy_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    lay_out(tmp_path, {"file": b""})
    with pytest.raises(DataError, match="is not a folder"):
        fill(tmp_path / "data", from_dir=tmp_path / name)


# Opening


@pytest.mark.parametrize("name", ["LICENSE", "retail/tasks.json", SCHEMAS])
def test_a_pulled_file_opens(pulled: Path, name: str) -> None:
    assert open_file(pulled, SOURCE, name, HINT) == (pulled / name).read_bytes()


@pytest.mark.parametrize("name", ["retail/db.json", SCHEMAS])
def test_a_missing_file_is_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError) as caught:
        open_file(tmp_path, SOURCE, name, HINT)
    assert str(caught.value) == f"{tmp_path / name} not found: run `dragoman data pull tau2`"


@pytest.mark.parametrize("name", ["retail/db.json", SCHEMAS])
def test_a_damaged_file_is_told_and_the_next_pull_repairs_it(
    pulled: Path, tmp_path: Path, name: str
) -> None:
    sound = (pulled / name).read_bytes()
    (pulled / name).write_bytes(sound.replace(b"a", b"o", 1))
    with pytest.raises(DataError, match=r"is damaged .*: run `dragoman data pull tau2` again"):
        open_file(pulled, SOURCE, name, HINT)
    fill(pulled, from_dir=tmp_path / "local")
    assert open_file(pulled, SOURCE, name, HINT) == sound


@pytest.mark.parametrize("index", [b"", b"{}", b"\xff", None])
def test_schemas_are_not_believed_without_an_index(pulled: Path, index: bytes | None) -> None:
    (pulled / INDEX).unlink()
    if index is not None:
        (pulled / INDEX).write_bytes(index)
    with pytest.raises(DataError, match=f"{INDEX} does not list {SCHEMAS} as it is pinned"):
        open_file(pulled, SOURCE, SCHEMAS, HINT)


def test_schemas_of_another_commit_are_not_believed(pulled: Path) -> None:
    later = msgspec.structs.replace(SOURCE, commit="1" * 40)
    with pytest.raises(DataError, match="does not list"):
        open_file(pulled, later, SCHEMAS, HINT)


def test_a_folder_in_a_files_place_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        open_file(tmp_path, SOURCE, "LICENSE", HINT)


# The list of files

HEAD = 'name = "x"\ncommit = "c"\nurl = "https://x/"\nlicence = "MIT"\nnotice = "n"\n'
FILE = (
    '[[files]]\npath = "{0}"\nname = "{0}"\nsize = 1\nsha256 = "' + "0" * 64 + '"\nkind = "{1}"\n'
)
LICENCE = FILE.format("LICENSE", "licence")


def test_a_list_of_files_is_read() -> None:
    source = load_source((HEAD + LICENCE).encode())
    assert [file.kept for file in source.files] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "not = [toml",
        HEAD,
        HEAD + "[[files]]\n",
        HEAD + "surplus = 1\n" + LICENCE,
        HEAD + FILE.format("data.json", "data"),
        HEAD + LICENCE * 2,
        HEAD + LICENCE + FILE.format("index.json", "data"),
        HEAD + LICENCE + FILE.format("../escaped", "data"),
        HEAD + LICENCE + FILE.format("/absolute", "data"),
        HEAD + LICENCE + FILE.format("x", "unheard-of"),
        HEAD + LICENCE + '[[derived]]\nname = "x"\nmodules = ["LICENSE"]\n',
    ],
)
def test_a_list_of_files_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="the list of upstream files is damaged"):
        load_source(text.encode())


def test_every_file_of_the_tau2_list_lies_at_one_pinned_commit() -> None:
    source = tau2_source()
    assert source.url.endswith(f"/{source.commit}/")
    assert len(source.files) == 32
    assert all(entry.content_key for entry in source.derived)


# The real files

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parents[4] / "shared/data")) / "tau2"


@pytest.mark.skipif(not DATA.is_dir(), reason="no tau2 data: set DRAGOMAN_DATA to their folder")
def test_the_real_local_copy_fills_a_folder(tmp_path: Path) -> None:
    source = tau2_source()
    report = fill(tmp_path, source, from_dir=DATA)
    assert len(report.written) == 32
    for name in report.written:
        assert open_file(tmp_path, source, name, HINT)
    assert fill(tmp_path, source, from_dir=DATA).written == ()


def test_a_derived_file_that_only_copies_hold_is_left_out_and_named(tmp_path: Path) -> None:
    local = lay_out(tmp_path / "local", FILES)
    report = pull(SOURCE, tmp_path / "data", derive=lambda *_: None, from_dir=local)

    assert report.absent == tuple(entry.name for entry in SOURCE.derived)
    assert f"; without {', '.join(report.absent)}, of which give another copy" in report.message
    assert not any((tmp_path / "data" / name).exists() for name in report.absent)
    assert open_file(tmp_path / "data", SOURCE, SHORT[DB], HINT)
    lay_out(tmp_path / "data", {report.absent[0]: b"[]"})
    with pytest.raises(DataError, match="does not list"):
        open_file(tmp_path / "data", SOURCE, report.absent[0], HINT)


def test_how_pulled_data_stand_is_told_without_changing_anything(tmp_path: Path) -> None:
    target = tmp_path / "data"
    assert not pulled_state(SOURCE, target).is_there

    fill(target, from_dir=lay_out(tmp_path / "copy", FILES))
    whole = pulled_state(SOURCE, target)
    names = {name for name in tree(target) if name != INDEX}
    assert (whole.is_there, whole.wrong, whole.files) == (True, (), len(names))

    first, second = sorted(names)[:2]
    (target / first).write_bytes(b"{}")
    (target / second).unlink()
    assert {*pulled_state(SOURCE, target).wrong} == {first, second}
    assert tree(target) == {*names, INDEX} - {second}

    other = msgspec.structs.replace(SOURCE, commit="1" * 40)
    assert pulled_state(other, target).wrong == (INDEX,)
