"""Conditions in a suite, with the released artifacts."""

from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks import courier
from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.language.localization import Localization
from dragoman.config.run_config import RunConfig
from dragoman.core.errors import DataError, UsageError
from dragoman.core.tools import NO_TOOLS
from dragoman.runs.plan import not_applicable, plan_cells
from dragoman.simulation import phrasebooks

IN_LANGUAGES = pytest.mark.usefixtures("in_languages")
INDONESIAN = "data/translations/courier/id"
MALAY = Path(__file__).parents[3] / "docs" / "examples" / "ms.toml"


def setup_of(suite: str, language: str, scenario: str, **more: object) -> Setup:
    config = RunConfig(suite, ("gold",), languages=(language,), scenarios=(scenario,), limit=1)
    return build_setup(msgspec.structs.replace(config, **more))


def only(setup: Setup) -> Localization:
    (localization,) = setup.localizations.values()
    return localization


def test_what_is_said_can_be_in_a_language_without_any_artifacts() -> None:
    setup = setup_of("sample:shop", "th", "interaction")
    localization = only(setup).record
    assert localization.greeting.startswith("สวัสดี")
    assert "Thai (ภาษาไทย)" in localization.instructions["agent"]
    assert "Thai (ภาษาไทย)" in localization.instructions["user"]
    assert (localization.tools, localization.assets, localization.notes) == ({}, {}, ())
    assert only(setup).condition.language == "th"
    assert only(setup).texts_spoken() == ()


def test_english_needs_no_localization() -> None:
    setup = build_setup(RunConfig("sample:shop", ("gold",), scenarios=("english",)))
    assert setup.localizations == {}
    assert setup.localization(setup.conditions[0]).is_english


@pytest.mark.parametrize("scenario", ["tools", "domain", "policy", "conversation+tasks"])
def test_a_suite_without_artifacts_has_no_other_scenarios(scenario: str) -> None:
    with pytest.raises(UsageError, match=r"sample:shop has no translated artifacts"):
        setup_of("sample:shop", "th", scenario)


def test_artifacts_that_were_not_pulled_are_asked_for(
    pulled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dragoman" / "data").mkdir(parents=True)
    (tmp_path / "dragoman" / "data" / "tau2").symlink_to(pulled / "dragoman" / "data" / "tau2")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataError, match=r"run `dragoman data pull seataubench`"):
        setup_of("tau2:retail", "th", "domain")


@pytest.mark.nightly
@IN_LANGUAGES
def test_the_domain_scenario_has_every_surface_in_the_language() -> None:
    setup = setup_of("tau2:retail", "vi", "domain")
    localization = only(setup)
    task = setup.tasks[0]
    assert set(localization.record.tools["agent"].values()) == {"vi"}
    assert sorted(localization.record.assets) == [
        f"retail/vi/{name}"
        for name in ("data_model.json", "db.json", "policy.md", "tasks.json", "tools.json")
    ]
    assert localization.policy is not None
    assert localization.policy.startswith("# Chính sách")
    assert localization.judged(task).scenario != task.scenario
    assert localization.judged(task).criteria == task.criteria
    assert localization.wording(task).language == "vi"
    assert localization.record.notes == ()
    policy, *tools = localization.texts_spoken()
    assert policy == localization.policy
    assert len(tools) == len(localization.record.tools["agent"])
    assert any(text.startswith("Hủy đơn hàng đang chờ xử lý.") for text in tools)


@pytest.mark.nightly
@IN_LANGUAGES
def test_in_the_tools_scenario_nothing_but_the_agents_tools_is_in_the_language() -> None:
    setup = setup_of("tau2:telecom", "id", "tools")
    localization = only(setup)
    assert set(localization.record.tools) == {"agent"}
    assert localization.condition.language == "en"
    assert (localization.record.greeting, localization.record.instructions) == ("", {})
    assert (localization.policy, localization.user_instructions) == (None, {})
    user = setup.suite.factory(setup.rules)(setup.tasks[0]).tools("user")
    assert len(user) == 30
    assert localization.views["user"].show(user) is user
    assert localization.views["agent"].show(NO_TOOLS).tools == ()


@IN_LANGUAGES
def test_mixed_tools_are_each_in_their_language_and_saved_so() -> None:
    localization = only(setup_of("tau2:airline", "en+th+vi", "tools"))
    tools = localization.record.tools["agent"]
    assert sorted(tools.values()).count("th") == sorted(tools.values()).count("vi") == 3
    assert tools["search_direct_flight"] == "th"
    assert tools["list_all_airports"] == "vi"
    assert {name.split("/")[1] for name in localization.record.assets} == {"th", "vi"}


@IN_LANGUAGES
def test_another_seed_deals_the_tools_otherwise_and_makes_other_cells() -> None:
    released = setup_of("tau2:airline", "en+th", "tools")
    other = setup_of("tau2:airline", "en+th", "tools", partition_seeds=(7,))
    assert only(released).record.tools != only(other).record.tools
    assert {cell.key for cell in plan_cells(released)}.isdisjoint(
        cell.key for cell in plan_cells(other)
    )


@pytest.mark.nightly
@IN_LANGUAGES
@pytest.mark.parametrize(
    ("suite", "language", "note"),
    [
        ("tau2:airline", "th", "th: no database of the agent in airline: its names stay English"),
        ("tau2:airline", "zh", "zh: no database of the agent in airline: its names stay English"),
        ("tau2:telecom", "th", "th: no tasks in telecom: what users are told stays English"),
        (
            "tau2:retail",
            "tl",
            "tl: 2,829 of 3,028 names in the database of the agent in retail are as in English",
        ),
        (
            "tau2:airline",
            "id",
            "id: 1,500 of 1,500 names in the database of the agent in airline are as in English",
        ),
    ],
)
def test_what_the_release_lacks_is_noted(suite: str, language: str, note: str) -> None:
    assert only(setup_of(suite, language, "domain")).record.notes == (note,)


@pytest.mark.nightly
@IN_LANGUAGES
def test_surfaces_combine_freely() -> None:
    localization = only(setup_of("tau2:retail", "th", "policy+tasks"))
    assert localization.condition.label == "th:policy+tasks/text/none"
    assert localization.assignments == {}
    assert localization.policy is not None
    assert len(localization.user_instructions) == 114
    assert localization.condition.language == "en"


@IN_LANGUAGES
def test_an_agent_alone_speaks_to_nobody() -> None:
    setup = setup_of("tau2:telecom-solo", "th", "domain")
    assert setup.localizations == {}
    assert list(not_applicable(setup)) == ["th:domain/text/none"]
    assert plan_cells(setup) == ()


@IN_LANGUAGES
def test_a_language_that_was_not_released_is_refused_with_those_that_were() -> None:
    with pytest.raises(
        UsageError, match=r"retail has translated artifacts in id, th, tl, vi, zh, not in ms"
    ):
        setup_of("tau2:retail", str(MALAY), "domain")


@IN_LANGUAGES
def test_artifacts_of_ones_own_are_read_from_a_folder(tmp_path: Path, in_languages: Path) -> None:
    (released,) = (in_languages / "dragoman" / "data" / "seataubench").glob("*/retail/id")
    (tmp_path / "retail").mkdir()
    (tmp_path / "retail" / "ms").symlink_to(released)
    setup = setup_of("tau2:retail", str(MALAY), "domain", assets=str(tmp_path))
    localization = only(setup)
    assert localization.condition.label == "ms:domain/text/none"
    assert set(localization.record.tools["agent"].values()) == {"ms"}
    assert "Malay (Bahasa Melayu)" in localization.record.instructions["user"]
    assert (localization.record.detector, localization.record.relatives) == (
        "ms",
        ("id",),
    )


@pytest.fixture
def in_malay(tmp_path: Path) -> Path:
    """The file of a language of one's own, with courier in it, as if Malay were Indonesian."""
    (tmp_path / "courier").mkdir()
    (tmp_path / "courier" / "ms").symlink_to(Path(courier.__file__).parent / INDONESIAN)
    (tmp_path / "ms.toml").symlink_to(MALAY)
    return tmp_path / "ms.toml"


def spoken(file: Path) -> Setup:
    return setup_of("courier", str(file), "domain", assets=str(file.parent))


def test_a_language_without_phrases_is_played_in_english_ones_and_that_is_noted(
    in_malay: Path,
) -> None:
    localization = only(spoken(in_malay))
    assert localization.phrases is None
    assert localization.record.phrases == ""
    assert localization.record.notes == (
        "ms: no phrases: diagnostic agents, and users without a model, speak and understand English",
    )


def test_phrases_beside_the_file_of_a_language_are_spoken_and_part_of_its_cells(
    in_malay: Path,
) -> None:
    without = spoken(in_malay)
    phrases = Path(phrasebooks.__file__).parent.joinpath("phrasebooks", "id.toml").read_bytes()
    in_malay.with_name("ms.phrases.toml").write_bytes(phrases)
    setup = spoken(in_malay)
    (condition,) = setup.conditions
    book = setup.resolve_condition(condition).phrases
    assert book is not None
    assert book.says.consent == "Ya, boleh."
    assert (only(setup).record.phrases, only(setup).record.notes) == (book.name, ())
    assert {cell.key for cell in plan_cells(without)}.isdisjoint(
        cell.key for cell in plan_cells(setup)
    )
    # Phrases change no verdict: a stored run is scored in spite of any change of them.
    assert only(without).record.digest == only(setup).record.digest


def test_phrases_are_those_of_the_language_that_tasks_are_told_in() -> None:
    assert only(setup_of("courier", "vi", "interaction")).phrases is None
    assert only(setup_of("courier", "vi", "tools")).phrases is None
    user_instructions = only(setup_of("courier", "vi", "tasks+database+tools")).phrases
    assert user_instructions is not None
    assert user_instructions.name.startswith("vi@")
