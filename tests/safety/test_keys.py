"""No output or file of a command contains a key, for any answers of servers."""

import pytest
from tests.safety.canaries import canaries, key_variables
from tests.safety.conftest import Watched
from tests.safety.echoing import EchoServer
from tests.safety.looking import named_in, packed_in_every_way

from dragoman.models.catalog import load_provider_catalog
from dragoman.models.realtime_spec import load_realtime_catalog

KEY = "COMPATIBLE_API_KEY"
SHORT = ("--limit", 1, "--max-steps", 3, "--patience", 0.2, "--read-timeout", 5, "--no-preflight")


@pytest.mark.parametrize("way", packed_in_every_way(""))
def test_a_key_is_found_however_it_is_packed(way: str) -> None:
    assert named_in(packed_in_every_way(canaries()[KEY])[way], canaries()) == [KEY]


@pytest.mark.slow
def test_every_variable_that_a_table_of_providers_names_has_a_canary() -> None:
    tables = (load_provider_catalog().providers, load_realtime_catalog().providers)
    named = {each.key_env for table in tables for each in table.values() if each.key_env}
    assert named < set(key_variables())
    assert {"ELEVENLABS_API_KEY", "SERPAPI_API_KEY", "DRAGOMAN_AGENT_TOKEN"} < set(key_variables())


@pytest.mark.slow
def test_a_key_that_endpoints_say_back_stands_nowhere(watched: Watched, echo: EchoServer) -> None:
    model = f"compatible/any?base_url={echo.at('words')}"
    judges = ("--judge", model, "--user-judge", model)
    talk = ("run", "sample:shop", "--agent", model, "--user", model, *judges, *SHORT)
    assert watched(*talk, "--out", "mine").returncode == 0
    for command in ("show", "report", "usage", "bundle"):
        assert watched(command, "mine").returncode == 0
    watched("doctor")
    watched("list", "models")
    assert "\n".join(echo.heard).count(canaries()[KEY]) > 0
    assert watched.found() == []
