"""Freeze the keys of conversations: a run whose keys change cannot be gone on with."""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.runs.plan import lazy_plan, not_applicable, plan_cells

SameJson = Callable[[str, object], None]

GRID: Mapping[str, object] = {
    "agents": ["gold", "mine=careful"],
    "languages": ["en", "th"],
    "scenarios": ["domain"],
    "voices": ["text", "simulated:10"],
    "personas": ["task", "hard"],
    "limit": 2,
    "trials": 2,
}
OWN_AGENT = "def answer(messages, tools):\n    return 'I cannot help.'\n"
MODEL = "openai/gpt-4.1-mini?temperature=0.5&max_tokens=100"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the API keys that model names need; no request is sent."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPGRAM_API_KEY"):
        monkeypatch.setenv(name, "none")


def keys_of(suite: str, **options: object) -> dict[str, object]:
    """Return the keys of a grid's conversations and their parts, and inapplicable cells."""
    setup = build_setup(msgspec.convert({"suite": suite, **options}, RunConfig))
    return {
        "conversations": {
            f"{cell.condition.label} {cell.agent.name} {cell.task.id} {cell.trial}": [
                cell.key,
                cell.spec_key,
                cell.seed,
            ]
            for cell in plan_cells(setup)
        },
        "plan": lazy_plan(setup).plan_fingerprint,
        "agents": {agent.name: agent.identity for agent, _ in setup.pairs},
        "users": {agent.name: user.identity for agent, user in setup.pairs},
        "prompts": setup.prompts,
        "left out": sorted(not_applicable(setup)),
    }


@pytest.mark.slow
def test_conversations_on_courier_keep_their_keys(same_json: SameJson) -> None:
    """Compare a grid of languages, simulated voices and personas with the golden one."""
    same_json("plan_courier.json", keys_of("courier", **GRID))


@pytest.mark.slow
def test_options_of_a_run_keep_their_place_in_keys(same_json: SameJson) -> None:
    """Compare plans that differ in one option each with the golden ones."""
    plain = {"agents": ["gold"], "limit": 1}
    options: dict[str, dict[str, object]] = {
        "none": {},
        "rules": {"rules": "tau2-1.0.1"},
        "seed": {"seed": 7},
        "limits": {"max_steps": 50, "max_errors": 3, "timeout": 60.0},
        "judge, which has no place": {"judge": "assume-met"},
        "clarify": {"clarify": ["rule"], "voices": ["simulated:10"]},
        "exposure": {"exposures": ["1", "2+rules"], "personas": ["hard"]},
        "user": {"user": "offline"},
        "language of what is said": {"languages": ["id"], "scenarios": ["interaction"]},
        "joined languages": {
            "languages": ["th+vi"],
            "scenarios": ["tools"],
            "partition_seeds": [7],
        },
    }
    found = {name: keys_of("courier", **{**plain, **more}) for name, more in options.items()}
    same_json("plan_options.json", found)


@pytest.mark.slow
def test_agents_and_users_keep_their_identities(
    same_json: SameJson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare the identity of each kind of agent and user with the golden identities."""
    (tmp_path / "golden_own.py").write_text(OWN_AGENT, "utf-8")
    (tmp_path / "script.json").write_text('{"*": [{"content": "Good day."}]}', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    agents = [
        *("gold", "careful", "attentive", "literal", "lexical", "silent"),
        *("golden_own:answer", MODEL, "named=anthropic/claude-sonnet-4-5"),
        *("compatible/m?base_url=http://127.0.0.1:1/v1", "scripted/script.json"),
        *("http://127.0.0.1:1/turn", "openai-realtime/gpt-realtime"),
    ]
    found = {agent: keys_of("courier", agents=[agent], user=MODEL, limit=1) for agent in agents}
    same_json("agents.json", found)


@pytest.mark.slow
def test_spoken_conversations_keep_their_keys(same_json: SameJson) -> None:
    """Compare spoken conversations with the golden ones of the same embedded engines."""
    pytest.importorskip("pocketsphinx")
    engines = {name: version(name) for name in ("espeakng-loader", "pocketsphinx")}
    if engines != {"espeakng-loader": "0.2.4", "pocketsphinx": "5.1.1"}:
        pytest.skip("the versions of the embedded engines are part of the keys, and differ here")
    grid = {"agents": ["gold"], "limit": 1, "voices": ["telephone", "telephone:loss"]}
    found = {
        "asr": keys_of("courier", **grid, asr=["mixed", "generic", "understood"]),
        "raw": keys_of("courier", **grid, transcript="raw", speakers=["us"]),
        "provider": keys_of(
            "courier",
            **grid,
            asr=["openai/whisper-1", "deepgram/nova-3"],
            speakers=["openai/alloy?model=gpt-4o-mini-tts"],
        ),
    }
    same_json("plan_spoken.json", found)


@pytest.mark.slow
def test_conversations_of_the_sample_keep_their_keys(same_json: SameJson) -> None:
    """Compare the bundled sample of tau2 with the golden one."""
    grid = {**GRID, "scenarios": ["interaction"], "languages": ["en", "vi"]}
    same_json("plan_sample.json", keys_of("sample:shop", **grid))


@pytest.mark.slow
@pytest.mark.usefixtures("in_languages")
def test_conversations_on_tau2_keep_their_keys(same_json: SameJson) -> None:
    """Compare retail and telecom of tau2 with the golden grids."""
    suites = ("tau2:retail", "tau2:telecom")
    grid = {**GRID, "trials": 1}
    same_json("plan_tau2.json", {suite: keys_of(suite, **grid) for suite in suites})


@pytest.mark.slow
def test_conversations_on_bfcl_keep_their_keys(
    same_json: SameJson, pulled_bfcl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare questions, turns and an agent that remembers with the golden grids."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    grid = {**GRID, "agents": ["gold"], "languages": ["en"], "scenarios": [], "trials": 1}
    plain = {"agents": ["gold"], "limit": 1}
    found = {
        suite: keys_of(suite, **grid) for suite in ("bfcl:simple_python", "bfcl:multi_turn_base")
    }
    found["bfcl:memory_kv"] = keys_of("bfcl:memory_kv", **plain)
    found["bfcl:memory_vector"] = keys_of(
        "bfcl:memory_vector",
        **plain,
        embeddings="openai/text-embedding-3-small?extra.dimensions=256",
    )
    found["bfcl:web_search_base"] = keys_of(
        "bfcl:web_search_base", **plain, search="http://127.0.0.1:1/search"
    )
    same_json("plan_bfcl.json", found)


@pytest.mark.slow
def test_conversations_on_itc_keep_their_keys(same_json: SameJson) -> None:
    """Compare the bundled world, whole, in Thai and in English, with the golden grids."""
    grid = {**GRID, "agents": ["gold"], "languages": ["en"], "scenarios": [], "trials": 1}
    suites = ("itc:world", "itc:world/th", "itc:world/en")
    same_json("plan_itc.json", {suite: keys_of(suite, **grid) for suite in suites})
