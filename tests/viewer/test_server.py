"""The server of the viewer: its pages, its clients, and addresses that reach nothing."""

import asyncio
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from tests.viewer.conftest import View

import dragoman
from dragoman.analysis.failure_attribution import ATTRIBUTION_METRICS
from dragoman.core.errors import DragomanError
from dragoman.store.run_store import open_run, peek_run
from dragoman.viewer.open_runs import Library, require_places
from dragoman.viewer.page_workers import WORKERS, PageWorkers
from dragoman.viewer.rendering import PageRequest, Route, prepare, templates


def test_a_run_leads_to_its_conversations(view: View, played: Path) -> None:
    viewer = view(played)

    runs = viewer.get("/")
    overview = viewer.get("/run/mine")
    listed = viewer.get("/run/mine/conversations")
    (first, *_) = re.findall(r"/run/mine/conversation/[0-9a-f]+", listed.text)
    conversation = viewer.get(first)

    assert 'href="/run/mine"' in runs.text
    assert "20 conversations" in overview.text
    assert conversation.status == 200
    assert "user_stop" in conversation.text


def test_an_agent_with_a_name_is_shown_by_it(view: View, tmp_path: Path) -> None:
    script = tmp_path / "nobody.json"
    script.write_text('{"*": [{"content": "No."}]}')
    dragoman.run("sample:shop", f"v1=scripted/{script}", limit=1, out=tmp_path / "named")
    viewer = view(tmp_path / "named")
    runs, overview = viewer.get("/").text, viewer.get("/run/named").text
    assert ("v1" in runs, "v1" in overview) == (True, True)
    assert "nobody.json" not in runs


def test_every_answer_says_that_only_own_scripts_run(view: View, played: Path) -> None:
    viewer = view(played)

    for path in ("/", "/run/mine", "/static/viewer.css", "/run/none", "/nothing/here"):
        headers = viewer.get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    ],
)
def test_who_comes_from_elsewhere_is_refused(
    view: View, played: Path, headers: dict[str, str]
) -> None:
    viewer = view(played)
    named = {name: value.format(port=viewer.port) for name, value in headers.items()}

    answered = viewer.get("/run/mine", **named)

    assert answered.status == 403
    assert "conversations" not in answered.text


def test_a_person_who_follows_a_link_is_answered(view: View, played: Path) -> None:
    viewer = view(played)
    own = f"http://127.0.0.1:{viewer.port}"

    assert viewer.get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200
    assert viewer.get("/", Origin=own, Sec_Fetch_Site="same-origin").status == 200
    assert viewer.get("/", Host=f"localhost:{viewer.port}").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_is_changed(view: View, played: Path, method: str) -> None:
    assert view(played).get("/run/mine", method).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/run/..",
        "/run/../..",
        "/run/%2e%2e",
        "/run/%2e%2e%2f%2e%2e%2fetc",
        "/run/%2Fetc%2Fpasswd",
        "/run/mine%00",
        "/run/mine/conversation/..%2F..%2Frun.sqlite",
        "/run/mine/conversation/zz",
        "/run/mine/conversation/0",
        "/run/mine/conversation/00",
        "/static/..%2Fserver.py",
        "/static/%2e%2e/server.py",
        "/static/base.html.j2",
        "//etc/passwd",
    ],
)
def test_no_address_leaves_what_is_known(view: View, played: Path, path: str) -> None:
    answered = view(played).get(path)

    assert answered.status == 404
    assert "root:" not in answered.text


def test_a_bundle_is_refused_with_the_command_that_opens_it(tmp_path: Path) -> None:
    bundle = tmp_path / "mine.zip"
    bundle.write_bytes(b"PK")
    for refuse in (lambda: require_places([bundle]), lambda: peek_run(bundle)):
        with pytest.raises(DragomanError, match="no run here, but a file: `dragoman unbundle"):
            refuse()


def test_many_clients_at_once_are_answered_as_one_alone(view: View, played: Path) -> None:
    viewer = view(played)
    listed = viewer.made("/run/mine/conversations")
    found = dict.fromkeys(re.findall(r"/run/mine/conversation/[0-9a-f]+", listed))
    paths = ["/run/mine", "/run/mine/conversations", *found]
    viewer.made("/run/mine")
    alone = {path: viewer.get(path).text for path in paths}

    with ThreadPoolExecutor(32) as clients:
        answers = list(clients.map(lambda path: (path, viewer.get(path)), paths * 8))

    assert {answered.status for _, answered in answers} == {200}
    assert [path for path, answered in answers if answered.text != alone[path]] == []


def test_pages_are_made_while_another_waits(tmp_path: Path, played: Path) -> None:
    """A page that waits holds one reader; the others answer."""
    others = threading.Barrier(WORKERS, timeout=30)

    def waiting(asked: PageRequest) -> web.Response:
        asked.run().store.counts()
        others.wait()
        return web.Response(text=threading.current_thread().name)

    async def asked() -> list[str]:
        library = Library([played], tmp_path / "views")
        readers = PageWorkers(library)
        requests = [
            make_mocked_request("GET", f"/run/mine/{number}", match_info={"run": "mine"})
            for number in range(WORKERS)
        ]
        try:
            together = Route("/run/{run}/{number}", waiting)
            answers = await asyncio.gather(
                *(readers.answer(together, request) for request in requests)
            )
        finally:
            await readers.close()
        return [str(answer.text) for answer in answers if isinstance(answer, web.Response)]

    assert len(set(asyncio.run(asked()))) == WORKERS


def test_equal_requests_at_once_are_answered_by_one_page(tmp_path: Path, played: Path) -> None:
    made: list[str] = []
    may_end = threading.Event()

    def slow(asked: PageRequest) -> web.Response:
        made.append(asked.path)
        may_end.wait(30)
        if asked.first("fails"):
            raise web.HTTPNotFound(text="no such page")
        return web.Response(text=asked.path, content_type="text/html", charset="utf-8")

    async def asked() -> tuple[list[str], list[int]]:
        readers = PageWorkers(Library([played], tmp_path / "views"))
        route = Route("/run/{run}/slow", slow)
        good, bad = (
            make_mocked_request("GET", f"/run/mine/slow{query}", match_info={"run": "mine"})
            for query in ("", "?fails=1")
        )
        try:
            asking = [asyncio.ensure_future(readers.answer(route, good)) for _ in range(5)]
            failing = [asyncio.ensure_future(readers.answer(route, bad)) for _ in range(3)]
            await asyncio.sleep(0.05)
            asking.pop().cancel()
            may_end.set()
            answers = await asyncio.gather(*asking)
            errors = await asyncio.gather(*failing, return_exceptions=True)
        finally:
            await readers.close()
        texts = [str(each.text) for each in answers if isinstance(each, web.Response)]
        assert len({id(each) for each in answers}) == len(answers)
        return texts, [each.status for each in errors if isinstance(each, web.HTTPException)]

    texts, statuses = asyncio.run(asked())

    assert texts == ["/run/mine/slow"] * 4
    assert statuses == [404] * 3
    assert made == ["/run/mine/slow"] * 2


def test_a_kept_page_is_made_again_when_a_run_it_shows_has_changed(
    tmp_path: Path, played: Path
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(played, folder)
    made: list[float] = []

    def page(asked: PageRequest) -> web.Response:
        made.append(asked.now)
        return web.Response(text=str(len(made)), content_type="text/html", charset="utf-8")

    async def asked() -> list[str]:
        readers = PageWorkers(Library([folder], tmp_path / "views"))
        route = Route("/", page, lambda asked: asked.library.runs())
        texts = []
        try:
            for is_changed in (False, False, True, False):
                if is_changed:
                    with open_run(folder, write=True) as store:
                        store.declare([ATTRIBUTION_METRICS])
                answer = await readers.answer(route, make_mocked_request("GET", "/"))
                assert isinstance(answer, web.Response)
                texts.append(str(answer.text))
        finally:
            await readers.close()
        return texts

    assert asyncio.run(asked()) == ["1", "1", "2", "2"]


def test_all_templates_are_read_before_the_first_page() -> None:
    prepare()
    read = {name for _, name in templates().cache or {}}

    folder = files("dragoman.viewer") / "templates" / "conversation"
    assert {f"conversation/{each.name}" for each in folder.iterdir()} <= read
    assert "first_screen.html.j2" in read


def test_readers_know_runs_by_the_same_names(tmp_path: Path, played: Path) -> None:
    for place in ("a", "b"):
        shutil.copytree(played, tmp_path / place / "mine")
    places = [tmp_path / "a", tmp_path / "b"]
    one = Library(places[1:], tmp_path / "views")
    assert [(run.name, run.folder) for run in one.runs()] == [("mine", places[1] / "mine")]
    both = Library(places, tmp_path / "views")
    other = both.for_another_thread()
    named = [[(run.name, run.folder) for run in each.runs()] for each in (both, other)]
    assert named[0] == named[1]
    assert [name for name, _ in named[0]] == ["mine", "mine-2"]
