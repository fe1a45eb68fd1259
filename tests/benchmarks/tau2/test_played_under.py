import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.reported_settings import ReportedSettings, language_code
from dragoman.core.conditions import PLAIN, Condition, condition_from, condition_text


def condition(**said: object) -> Condition:
    return ReportedSettings(**said).condition


def seatau(experiment: str | None, components: object = None, mix: object = None) -> object:
    return {
        "experiment_name": experiment,
        "run_language": "th",
        "lang_components": components,
        "tool_mix_config": mix,
    }


INTERACTION = ["agent_system", "greeting", "user_system"]
DOMAIN = [*INTERACTION, "tools", "policy", "db", "tasks"]


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ({}, "en/text/none"),
        ({"lang_id": None, "seatau_info": None}, "en/text/none"),
        ({"lang_id": "en", "seatau_info": seatau("english", [])}, "en/text/none"),
        ({"seatau_info": seatau("l2_interaction", INTERACTION)}, "th:interaction/text/none"),
        ({"lang_id": "cs", "lang_components": INTERACTION}, "cs:interaction/text/none"),
        ({"lang_id": "vi", "seatau_info": seatau("crosslingual")}, "vi:interaction/text/none"),
        ({"lang_id": "th", "seatau_info": seatau("l2_domain")}, "th:domain/text/none"),
        ({"lang_id": "th", "lang_components": DOMAIN}, "th:domain/text/none"),
        ({"lang_id": "th", "lang_components": ["all"]}, "th:domain/text/none"),
        ({"lang_id": "th", "lang_components": ["db", "novel"]}, "th:database/text/none"),
        ({"lang_id": "th"}, "th:conversation/text/none"),
        ({"lang_id": "Thai"}, "th:conversation/text/none"),
        ({"lang_id": "pt_br"}, "pt-BR:conversation/text/none"),
        ({"lang_id": "zh-Hant-TW"}, "zh-Hant-TW:conversation/text/none"),
        (
            {"seatau_info": seatau("l2_tools", ["tool_mix"], "3lang_uniform_en-th-vi")},
            "en+th+vi:tools/text/none",
        ),
        (
            {"seatau_info": seatau("l2_tools", ["tool_mix"], "mixes/en-th.yaml")},
            "en+th:tools/text/none",
        ),
        ({"lang_id": "vi", "seatau_info": seatau("mixed_tools_5lang")}, "vi:tools/text/none"),
        ({"speech_complexity": "regular"}, "en/regular/none"),
        (
            {"speech_complexity": "control", "audio_native_config": {"provider": "openai"}},
            "en/control+itself/none",
        ),
        (
            {"audio_native_config": {"provider": "livekit", "cascaded_config_name": "thinking"}},
            "en/audio+thinking/none",
        ),
        (
            {"speech_environment": {"persona_name": "wei_lin", "complexity": "regular"}},
            "en/regular/wei_lin",
        ),
        (
            {"persona_config": {"verbosity": "minimal", "interrupt_tendency": "interrupts"}},
            "en/text/minimal+interrupts",
        ),
        ({"persona": "elderly"}, "en/text/elderly"),
        ({"mode": "half_duplex"}, "en/text/none"),
        ({"mode": "full_duplex"}, "en/text/none/mode=full_duplex"),
    ],
)
def test_what_a_file_says_is_a_condition(said: dict[str, object], label: str) -> None:
    assert condition(**said).label == label


def test_a_simulation_says_more_than_its_file() -> None:
    file = ReportedSettings(lang_id="th", mode="half_duplex")
    assert ReportedSettings(lang_id="vi").over(file).condition.language == "vi"
    assert ReportedSettings().over(file) == file


@pytest.mark.parametrize(
    "said", ["../../etc", "a/b", "th:vi", "a much too long text", 5, ["th"], {}]
)
def test_what_names_no_language_is_english_and_told(said: object) -> None:
    found = ReportedSettings(lang_id=said)
    assert found.condition == PLAIN
    assert found.unknown_language


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("th", "th"),
        ("fil", "tl"),
        ("fil-PH", "tl"),
        ("zh-CN", "zh"),
        ("EN_us", "en"),
        ("en-AU", "en"),
    ],
)
def test_one_language_has_one_code(said: str, code: str) -> None:
    assert language_code(said) == code


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["experiment_name", "tool_mix_config", "persona_name", "verbosity", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@given(st.fixed_dictionaries(dict.fromkeys(ReportedSettings.__struct_fields__, ANYTHING)))
def test_anything_is_a_condition_that_can_be_stored(said: dict[str, object]) -> None:
    found = msgspec.convert(said, ReportedSettings).condition
    assert condition_from(condition_text(found)) == found
    assert "\n" not in found.label
