"""Cost of a single-turn benchmark: one folder and an entry point in its own package."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

ENTRY_POINTS = "[dragoman.benchmarks]\nrooms = rooms.benchmark:ROOMS\n"

BENCHMARK = """
from dragoman.ext.benchmarks import (
    HttpEndpoint,
    HttpEnvironment,
    Provenance,
    Response,
    SingleTurn,
    build_request,
    compile_validators,
    endpoint_tools,
)
from dragoman.ext.conversations import executed_calls
from dragoman.ext.scoring import ComponentScore, Evidence, Scored
from dragoman.ext.tasks import Action, Criteria, FixedTurn, Scenario, Task

URL = "https://rooms.example/v1/rooms/{room}"
ROOM = {"type": "string"}
SEATS = {"type": "object", "properties": {"room": ROOM}, "required": ["room"]}
BOOKING = {
    "type": "object",
    "properties": {"room": ROOM, "hour": {"type": "integer"}},
    "required": ["room", "hour"],
}
ENDPOINTS = {
    each.name: each
    for each in (
        HttpEndpoint("get_room", "How many seats a room has.", "GET", URL, SEATS),
        HttpEndpoint("book_room", "Book a room for an hour.", "POST", URL + "/bookings", BOOKING),
    )
}
TOOLS = endpoint_tools(tuple(ENDPOINTS.values()))
VALIDATORS = compile_validators(TOOLS)


def task(name, words, call, **arguments):
    plan = Criteria(("CALLS",), (Action("1", call, arguments),))
    return Task(name, "rooms:small", name, Scenario(words), plan, turns=(FixedTurn((words,)),))


class Requests:
    def components(self, task, episode):
        made = [
            build_request(ENDPOINTS[call.name], call.arguments)
            for call, result in executed_calls(episode.events)
            if result is not None and not result.error
        ]
        (wanted,) = task.criteria.actions
        met = made == [build_request(ENDPOINTS[wanted.name], wanted.arguments)]
        return (ComponentScore("CALLS", True, Scored(float(met)), (Evidence(wanted.name, met),)),)


class Small:
    name = "rooms:small"
    provenance = Provenance("rooms", "CC0-1.0", "", "1")
    tasks = (
        task("seats", "How many seats has room 12/a?", "get_room", room="12/a"),
        task("book", "Book room 7 for three o'clock.", "book_room", room="7", hour=15),
        task("unknown", "Book room 99 for noon.", "get_room", room="99"),
    )

    def not_applicable(self, condition):
        return ""

    def policy(self, task, environment):
        return ""

    def factory(self, rules):
        return lambda task: HttpEnvironment(ENDPOINTS, TOOLS, VALIDATORS, answer)

    def check(self, rules):
        return Requests()

    def turn_protocol(self, task, environment, rules, limits):
        return SingleTurn(task, environment, steps=3)


def answer(request):
    known = {"https://rooms.example/v1/rooms/12%2Fa": Response(200, {"seats": 8})}
    booked = Response(201, {"hour": (request.body or {}).get("hour")})
    return known.get(request.url, booked if request.method == "POST" else Response(404, "no room"))


class Rooms:
    def suites(self):
        return {"rooms:small": "rooms and bookings, three questions"}

    def load(self, name, data):
        return Small()


ROOMS = Rooms()
"""


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """A folder with the package as an installation leaves it."""
    files = {
        "rooms/__init__.py": "",
        "rooms/benchmark.py": BENCHMARK,
        "rooms-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: rooms\nVersion: 1\n",
        "rooms-1.dist-info/entry_points.txt": ENTRY_POINTS,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    return tmp_path


def test_it_is_listed_and_found_sound(in_process: Cli, rooms: Path) -> None:
    listed = in_process("list", "suites", cwd=rooms)
    assert "rooms:small               rooms and bookings, three questions" in listed.stdout
    checked = json.loads(in_process("check", "rooms:small", "--json", cwd=rooms).stdout)
    assert (checked["tasks"], checked["gold_passed"], checked["floor"]) == (3, 2, [0, 0])
    (unpassable,) = checked["unpassable"]
    assert unpassable["task"] == "unknown"


def test_its_requests_are_answered_and_judged_by_its_own_check(
    in_process: Cli, rooms: Path
) -> None:
    done = in_process(
        *("run", "rooms:small", "--agent", "gold", "--agent", "silent"),
        *("--out", "r", "--json"),
        cwd=rooms,
    )
    cells = json.loads(done.stdout)["cells"]
    assert {cell["agent"]: cell["pass_hat"]["1"] for cell in cells} == {"gold": 2 / 3, "silent": 0}
    shown = in_process("show", "r", "seats", "--agent", "gold", cwd=rooms).stdout
    assert '{"body":{"seats":8},"status":200}' in shown
    again = in_process("score", "r", "--anew", "--json", cwd=rooms)
    assert json.loads(again.stdout)["cells"] == cells
