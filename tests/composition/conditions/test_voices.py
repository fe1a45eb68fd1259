"""Names of lines, recognizers and speakers."""

import asyncio
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.composition.conditions.voice import voice_conditions
from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.voice.layer import LiveVoice, SimulatedVoice
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN, condition_from
from dragoman.core.errors import UsageError
from dragoman.registry.speech_engines import RECOGNIZERS
from dragoman.speech.embedded.language_model import SHARE

BASE = RunConfig("sample:shop", ("gold",))


def changed(**fields: object) -> RunConfig:
    return msgspec.structs.replace(BASE, **fields)


def labels(**fields: object) -> list[str]:
    return [entry.label for entry in voice_conditions((PLAIN,), changed(**fields), sample_suite())]


def built(**fields: object) -> Setup:
    setup = build_setup(changed(**fields))
    asyncio.run(setup.close())
    return setup


def refusal(**fields: object) -> str:
    with pytest.raises(UsageError) as caught:
        built(**fields)
    (line,) = str(caught.value).splitlines()
    return line


def test_every_line_is_heard_by_every_recognizer_and_text_by_none() -> None:
    assert labels(voices=("text", "studio", "telephone"), asr=("mixed", "understood")) == [
        "en/text/none",
        "en/studio/none",
        "en/studio+understood/none",
        "en/telephone/none",
        "en/telephone+understood/none",
    ]
    assert labels(voices=("telephone", "telephone")) == ["en/telephone/none"]
    assert labels() == ["en/text/none"]


@pytest.mark.parametrize("line", ["studio", "telephone-without-loss", "street:mu_law"])
@pytest.mark.parametrize("listener", ["mixed", "understood", "openai/whisper-1?prompt=a+b"])
def test_a_voice_s_name_tells_its_line_and_who_listens(line: str, listener: str) -> None:
    condition = PLAIN.with_axes(voice=line, recognizer=listener)
    assert condition_from(condition.label) == condition


def test_the_record_of_a_voice_says_what_it_is_made_of() -> None:
    setup = built(voices=("telephone",), speakers=("us", "british"))
    voiced = setup.voiced(PLAIN.with_axes(voice="telephone"))
    assert isinstance(voiced, LiveVoice)
    assert voiced.record["speakers"] == ["espeak-ng:us", "espeak-ng:british"]
    assert voiced.record["recognizer"] == "pocketsphinx:adapted:mixed"
    assert voiced.record["language_model"] == (
        f"generic, interpolated ({SHARE}) with tools, policy and database of sample:shop; "
        "nothing that users say"
    )
    assert len(voiced.users) == 2
    assert voiced.agent.listener is None
    assert setup.voiced(PLAIN) is None


def test_without_a_name_all_voices_of_the_language_speak() -> None:
    voiced = built(voices=("studio",), asr=("understood",)).voiced(
        PLAIN.with_axes(voice="studio", recognizer="understood")
    )
    assert isinstance(voiced, LiveVoice)
    assert len({path.speaker.name for path in voiced.users}) == 10
    named = built(voices=("studio",), speakers=("embedded",), asr=("understood",)).voiced(
        PLAIN.with_axes(voice="studio", recognizer="understood")
    )
    assert isinstance(named, LiveVoice)
    assert named.identity == voiced.identity


def test_recognizers_of_one_line_share_all_but_the_listener() -> None:
    setup = built(voices=("studio",), asr=tuple(RECOGNIZERS))
    names = [entry.label for entry in setup.conditions]
    made = [setup.voiced(entry) for entry in setup.conditions]
    voices = [voiced for voiced in made if isinstance(voiced, LiveVoice)]
    assert names == [
        "en/studio/none",
        "en/studio+generic/none",
        "en/studio+understood/none",
        "en/studio+itself/none",
    ]
    assert len({voiced.identity for voiced in voices}) == 4
    assert len({path.effects for voiced in voices for path in voiced.users}) == 1


def test_words_of_translated_policy_and_tools_may_be_misrecognized_and_change_the_identity(
    in_languages: Path,
) -> None:
    assert in_languages.is_dir()
    setup = built(
        suite="tau2:retail",
        languages=("vi",),
        scenarios=("interaction", "tools", "domain"),
        voices=("simulated:15",),
    )
    simulated = {
        label: made
        for label, made in (setup.voices.conditions if setup.voices else {}).items()
        if isinstance(made, SimulatedVoice) and made.path.language == "vi"
    }
    reported = [str(made.record["language_model"]) for made in simulated.values()]
    nobody = "none: simulated:vi:0.15 is simulated, nobody spoke"
    assert list(simulated) == ["vi:interaction/simulated:15/none", "vi:domain/simulated:15/none"]
    assert reported == [
        nobody,
        f"{nobody}, and words of policy and tools of tau2:retail may be heard",
    ]
    assert len({made.identity for made in simulated.values()}) == 2


@pytest.mark.slow
def test_without_the_lists_of_a_language_nothing_is_played(tmp_path: Path) -> None:
    run = tmp_path / "run"
    reported = ("run", "sample:shop", "--agent", "gold", "--out", str(run))
    where = ("--language", "zh", "--scenario", "interaction", "--voice", "simulated:15")
    program = "import sys\nsys.modules['jieba'] = None\nfrom dragoman.cli.main import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", program, *reported, *where],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "dragoman: simulated hearing in Thai and Chinese is an extra: "
        "pip install 'dragoman[asr-errors]'\n"
    )
    assert not run.exists()


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"voices": ("walkie",)}, "no line is named 'walkie': choose one of studio, "),
        ({"voices": ("studio:mu_law",)}, "line studio:mu_law: studio has no effect 'mu_law'"),
        ({"voices": ("studio",), "asr": ("ears",)}, "unknown recognizer 'ears': choose mixed, "),
        ({"voices": ("studio",), "asr": ("nobody/ears",)}, "nobody"),
        ({"voices": ("studio",), "speakers": ("mumble",)}, "no embedded voice 'mumble'"),
        ({"voices": ("studio",), "speakers": ("fr",)}, "none of the speakers named speaks en"),
        (
            {"asr": ("mixed",)},
            "--asr and --speaker need a channel to speak over: --voice telephone",
        ),
        ({"voices": ("text",), "speakers": ("us",)}, "need a channel to speak over"),
        ({"voices": ("simulated:15",), "asr": ("mixed",)}, "need a channel to speak over"),
        ({"voices": ("simulated:101",)}, "write a word error rate in percent"),
        ({"voices": ("simulated:nan",)}, "write a word error rate in percent"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(
    fields: dict[str, object], complaint: str
) -> None:
    assert complaint in refusal(**fields)


@pytest.mark.parametrize(
    ("language", "listener", "complaint"),
    [
        ("th", "understood", "no sound embedded voice for th: espeak-ng reads common Thai words"),
        ("vi", "mixed", "no embedded recognizer for Vietnamese; use --voice simulated:10, --asr w"),
        (
            "vi",
            "generic",
            "no embedded recognizer for Vietnamese; use --voice simulated:10, --asr w",
        ),
    ],
)
def test_a_language_that_nobody_speaks_or_hears_is_refused_before_anything_is_played(
    language: str, listener: str, complaint: str, in_languages: Path
) -> None:
    assert in_languages.is_dir()
    line = refusal(
        suite="tau2:retail",
        languages=(language,),
        scenarios=("interaction",),
        voices=("studio",),
        asr=(listener,),
    )
    assert complaint in line


def spoken_by(persona: str, **fields: object) -> LiveVoice:
    setup = built(voices=("telephone",), personas=("none", persona), **fields)
    voiced = setup.voiced(PLAIN.with_axes(voice="telephone", persona=Path(persona).stem))
    assert isinstance(voiced, LiveVoice)
    return voiced


def test_who_is_elderly_speaks_slowly_and_hesitates_and_the_agent_does_not() -> None:
    plain, elderly = spoken_by("none"), spoken_by("elderly")
    assert elderly.record["speakers"] == plain.record["speakers"]
    assert elderly.agent.identity == plain.agent.identity
    assert {path.identity for path in elderly.users}.isdisjoint(
        path.identity for path in plain.users
    )
    assert all(path.hesitation is not None for path in elderly.users)
    assert elderly.record["persona"] == {
        "rate": 0.8,
        "pauses": 0.12,
        "fillers": 0.1,
        "accent": "",
    }


def test_a_persona_that_speaks_as_everybody_is_heard_as_everybody() -> None:
    assert spoken_by("hard").identity == spoken_by("none").identity


def test_a_card_may_have_an_accent_and_named_speakers_without_it_speak_all_the_same(
    tmp_path: Path,
) -> None:
    card = tmp_path / "scot.toml"
    card.write_text(
        'about = "from Leith"\n[speech]\naccent = "Scotland"\n'
        '[traits]\nexpertise = "some"\nambiguity = "low"\nverbosity = "medium"\n'
        'tolerance = "medium"\n[en]\nuser = "You are from Leith."\nagent = "From Leith."\n'
    )
    assert spoken_by(str(card)).record["speakers"] == ["espeak-ng:scottish-m2"]
    assert spoken_by(str(card), speakers=("us",)).record["speakers"] == ["espeak-ng:us"]
