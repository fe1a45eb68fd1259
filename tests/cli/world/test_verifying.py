"""Of the world's operations those are kept that answer; how many is known beforehand."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.benchmarks.itc.world.api_data import apis
from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer, write_documents

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

FAULTS = {
    "g-units": (ApiFault("g-units", "not_found_html"), "dropped", "status 404"),
    "br-tempo": (ApiFault("br-tempo", "error_in_body"), "dropped", "the answer says code 404"),
    "br-ddd": (ApiFault("br-ddd", "empty"), "dropped", "the answer is empty"),
    "in-mandi": (ApiFault("in-mandi", "csv_as_json"), "dropped", "the JSON is malformed"),
    "g-email": (ApiFault("g-email", "bad_gateway_html"), "failed", "status 502"),
    "de-luftstation": (ApiFault("de-luftstation", "limited"), "failed", "status 429"),
    "jp-tenki": (
        ApiFault("jp-tenki", "redirect", to="http://169.254.169.254/latest/"),
        "dropped",
        "refused: metadata address",
    ),
}
"""A fault, the resulting verdict on the operation, and its reason."""


def verified(dragoman: Cli, folder: Path, *faults: ApiFault) -> CompletedProcess[str]:
    with SimulatedApiServer(ApiFaultPlan(faults)) as server:
        write_documents(folder / "apis", server.origin)
        assert dragoman("curate", "collect", "mine", "apis").returncode == 0
        host = server.origin.removeprefix("http://")
        verify = ("curate", "verify", "mine", "--allow-local", "--pause", "0", "--calls", "1")
        # One API has a key, which its page publishes.
        return dragoman(*verify, "--key", f"{host}/X-API-Key=MY_KEY", MY_KEY="oeffentlich")


def test_all_that_is_served_is_kept_and_the_six_that_are_gone_are_dropped(
    dragoman: Cli, folder: Path
) -> None:
    done = verified(dragoman, folder)
    assert done.returncode == 0, done.stderr
    assert "57    51        6       0       0" in done.stdout
    assert done.stdout.count("status 404") + done.stderr.count("status 404") == 6


def test_each_fault_is_told_as_what_it_is(dragoman: Cli, folder: Path) -> None:
    done = verified(dragoman, folder, *(fault for fault, _, _ in FAULTS.values()))
    lines = (done.stdout + done.stderr).splitlines()
    for name, (_, verdict, reason) in FAULTS.items():
        reported = [line for line in lines if f"/{apis()[name].name}: " in line]
        assert [(line.split()[0], line.endswith(f": {reason}")) for line in reported] == [
            (verdict, True)
        ], name
    dropped = sum(verdict == "dropped" for _, verdict, _ in FAULTS.values())
    failed = len(FAULTS) - dropped
    assert f"57    {51 - len(FAULTS)}       {6 + dropped}       0       {failed}" in done.stdout
