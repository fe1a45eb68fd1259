"""Grids with conditions that cannot be played: they are listed, and the rest is played."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from dragoman.composition.conditions.voice import VoiceEngines
from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.voice.layer import VoiceCondition
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import Condition
from dragoman.core.errors import UsageError
from dragoman.runs.jobs import resume_job, start_job
from dragoman.runs.manifest import read_manifest
from dragoman.runs.plan import not_applicable, plan_cells
from dragoman.speech.local.hub_models import find_hub_model

UNHEARD = (
    "no embedded recognizer for Vietnamese; use --voice simulated:10, --asr whisper/base (needs "
    "dragoman[whisper], 148 MB once), or --asr PROVIDER/MODEL"
)


def courier(**axes: tuple[str, ...]) -> Setup:
    given = {"suite": "courier", "agents": ["gold"], "limit": 1, **axes}
    return build_setup(msgspec.convert(given, RunConfig))


def planned(setup: Setup) -> list[str]:
    return [cell.condition.label for cell in plan_cells(setup)]


def test_a_cell_that_no_recognizer_hears_is_left_out_and_the_others_are_planned() -> None:
    setup = courier(languages=("en", "vi"), voices=("text", "telephone"))
    assert planned(setup) == ["en/text/none", "en/telephone/none", "vi:domain/text/none"]
    assert not_applicable(setup) == {"vi:domain/telephone/none": UNHEARD}


def test_the_size_of_the_local_model_that_is_named_is_that_of_its_files() -> None:
    model = find_hub_model("base", "whisper/base")
    assert round(sum(file.size for file in model.files) / 1e6) == 148


@pytest.mark.slow
def test_the_way_that_is_named_is_one_that_works() -> None:
    setup = courier(languages=("en", "vi"), voices=("text", "simulated:10"))
    assert "vi:domain/simulated:10/none" in planned(setup)
    assert not_applicable(setup) == {}


def test_a_language_that_nobody_speaks_and_nobody_hears_is_told_both_at_once() -> None:
    setup = courier(languages=("th",), voices=("text", "telephone"))
    why = not_applicable(setup)["th:domain/telephone/none"]
    assert why.startswith("no embedded recognizer for Thai and no sound embedded voice for th:")
    assert why.endswith(
        "use --voice simulated:10, or --asr PROVIDER/MODEL with --speaker PROVIDER/VOICE"
    )


def test_a_grid_of_which_nothing_can_be_played_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="no condition can be played: no embedded recog") as raised:
        courier(languages=("vi",), voices=("telephone",))
    assert "--voice simulated:10" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_left_out_changes_no_key_of_what_is_played() -> None:
    alone = courier(languages=("en",), voices=("text", "telephone"))
    beside = courier(languages=("en", "vi"), voices=("text", "telephone"))
    keys = {cell.key for cell in plan_cells(beside)}
    assert keys.issuperset(cell.key for cell in plan_cells(alone))


def test_a_suite_without_artifacts_is_played_in_english_alone_and_says_why() -> None:
    config = RunConfig("sample:shop", ("gold",), languages=("en", "vi"), scenarios=("domain",))
    setup = build_setup(config)
    assert {cell.condition.label for cell in plan_cells(setup)} == {"en/text/none"}
    (why,) = not_applicable(setup).values()
    assert "use --scenario interaction, or --assets with a folder" in why


def test_a_resumed_run_keeps_what_it_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = courier(languages=("en", "vi"), voices=("text", "telephone"))
    start_job(setup, tmp_path / "run", 0.0).store.close()
    voiced = VoiceEngines.voiced

    def hears_all(
        self: VoiceEngines, condition: Condition, texts: Sequence[str] = ()
    ) -> VoiceCondition:
        assert condition.language == "en", "what was left out is not tried again"
        return voiced(self, condition, texts)

    monkeypatch.setattr(VoiceEngines, "voiced", hears_all)
    job = resume_job(tmp_path / "run", trust=True)
    with job.store as store:
        assert read_manifest(store).not_applicable == {"vi:domain/telephone/none": UNHEARD}
        assert not_applicable(job.setup) == {"vi:domain/telephone/none": UNHEARD}
        assert len(job.cells) == 3


@pytest.mark.parametrize(
    ("suite", "languages", "scenario"),
    [
        ("courier", ("en", "vi"), "domain"),
        ("sample:shop", ("vi",), "interaction"),
        ("courier", ("th+vi",), "tools"),
    ],
)
def test_languages_without_a_scenario_get_the_one_that_fits(
    suite: str, languages: tuple[str, ...], scenario: str
) -> None:
    setup = build_setup(RunConfig(suite, ("gold",), limit=1, languages=languages))
    assert setup.config.scenarios == (scenario,)


def test_one_language_without_artifacts_puts_all_of_them_in_the_conversation_alone(
    tmp_path: Path,
) -> None:
    own = tmp_path / "ms.toml"
    own.write_bytes((Path(__file__).parents[3] / "docs" / "examples" / "ms.toml").read_bytes())
    setup = courier(languages=("vi", str(own)))
    assert setup.config.scenarios == ("interaction",)


def test_english_alone_needs_no_scenario_and_gets_none() -> None:
    assert courier(languages=("en",)).config.scenarios == ()
