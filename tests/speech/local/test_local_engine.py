"""Engines on this machine, with stand-ins for their packages that have the same API."""

import asyncio
import sys
from pathlib import Path

import pytest

from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import Recognizer, Synthesizer
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import resolve_recognizer, resolve_synthesizer

PIPER = """
class SynthesisConfig:
    def __init__(self, speaker_id=None, length_scale=None, noise_scale=None, noise_w_scale=None):
        self.speaker_id = speaker_id
        assert noise_scale == noise_w_scale == 0.0

class Chunk:
    sample_rate = 22050
    def __init__(self, data):
        self.audio_int16_bytes = data

class PiperVoice:
    @staticmethod
    def load(model_path, config_path=None, use_cuda=False):
        voice = PiperVoice()
        with open(model_path, "rb") as file:
            voice.model = file.read()
        return voice
    def synthesize(self, text, syn_config=None):
        if text == "break":
            raise RuntimeError("onnx\\nbroke")
        for sentence in text.split(". ") if text != "mute" else []:
            yield Chunk(bytes([len(sentence), syn_config.speaker_id or 0]))
"""
KOKORO = """
import numpy as np

class Kokoro:
    def __init__(self, model_path, voices_path):
        open(model_path).close()
        open(voices_path).close()
    def create(self, text, voice, speed=1.0, lang="en-us", trim=True):
        assert (voice, lang) == ("af_sarah", "en-us")
        samples = [float("nan")] if text == "nan" else [0.0, 1.0, -2.0, 0.5 * speed]
        return np.array(samples, dtype=np.float32), 24000
"""
WHISPER = """
import wave

class Segment:
    def __init__(self, text):
        self.text = text

class WhisperModel:
    def __init__(self, path, device="auto", compute_type="default", cpu_threads=0,
                 local_files_only=False):
        assert local_files_only
        assert 1 <= cpu_threads <= 4
        assert compute_type == ("default" if device == "cuda" else "float32")
        self.device = device
        self.supported_languages = ["en"] if path.endswith(".en") else ["en", "vi", "tl", "zh"]
    def transcribe(self, audio, language=None, beam_size=5, temperature=(0.0, 0.2),
                   vad_filter=False):
        assert temperature == 0.0
        assert vad_filter
        with wave.open(audio) as file:
            count = file.getnframes()
        parts = [f" {count} samples", f" in {language} on {self.device}."] if count > 1 else []
        return (Segment(part) for part in parts), object()
"""
RUNTIME = """
def get_cuda_device_count():
    return 0
"""
VOSK = """
import json

def SetLogLevel(level):
    assert level == -1

class Model:
    def __init__(self, model_path):
        if "broken" in model_path:
            raise Exception("Failed to create a model")

class KaldiRecognizer:
    def __init__(self, model, rate):
        self.rate, self.taken = rate, 0
    def AcceptWaveform(self, data):
        self.taken += len(data)
        return len(data) == 8000
    def Result(self):
        return json.dumps({"text": f"so far {self.taken}"})
    def FinalResult(self):
        return json.dumps({"text": "the rest" if self.taken % 8000 else ""})
"""
PACKAGES = {
    "piper-tts": ("piper", PIPER),
    "kokoro-onnx": ("kokoro_onnx", KOKORO),
    "faster-whisper": ("faster_whisper", WHISPER),
    "ctranslate2": ("ctranslate2", RUNTIME),
    "vosk": ("vosk", VOSK),
}
SECOND = Audio(bytes(32_000), 16_000)


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the stand-ins and the model files; return the folder of the files."""
    site, models = tmp_path / "site", tmp_path / "models"
    for package, (module, source) in PACKAGES.items():
        facts = site / f"{package.replace('-', '_')}-1.0.dist-info"
        facts.mkdir(parents=True)
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (site / f"{module}.py").write_text(source)
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(site)
    (models / "small").mkdir(parents=True)
    whisper = ("small/config.json", "small/model.bin", "small/tokenizer.json")
    for name in ("en.onnx", "kokoro.onnx", "voices.bin", *whisper):
        (models / name).write_bytes(name.encode())
    (models / "en.onnx.json").write_text('{"language": {"code": "en_US", "family": "en"}}')
    return models


def voice(written: str) -> Synthesizer:
    return resolve_synthesizer(written, ModelClients())


def recognizer(written: str) -> Recognizer:
    return resolve_recognizer(written, ModelClients())


def test_piper_speaks_without_chance(engines: Path) -> None:
    piper = voice(f"piper/{engines}/en.onnx?speaker=3")
    spoken, again = (asyncio.run(piper.speak("Hi. You", "en-US", seed)) for seed in (1, 2))
    assert spoken.audio == again.audio == Audio(b"\x02\x03\x03\x03", 22_050)
    assert spoken.usage is not None
    assert (spoken.usage.purpose, spoken.usage.model) == ("synthesis", "piper/en")
    assert (spoken.usage.characters, spoken.usage.replayed) == (7, 0)


def test_piper_says_what_it_cannot(engines: Path) -> None:
    piper = voice(f"piper/{engines}/en.onnx")
    with pytest.raises(UsageError, match="speaks 'en', not 'vi'"):
        asyncio.run(piper.speak("Xin chào", "vi", 1))
    with pytest.raises(ParticipantError, match="RuntimeError: onnx broke"):
        asyncio.run(piper.speak("break", "en", 1))
    with pytest.raises(ParticipantError, match="no audio came of 4 characters"):
        asyncio.run(piper.speak("mute", "en", 1))
    assert asyncio.run(piper.speak(" ", "en", 1)).audio.pcm == b""


def test_kokoro_speaks_with_the_voice_that_is_named(engines: Path) -> None:
    name = f"kokoro/{engines}/kokoro.onnx?voice=af_sarah&voices={engines}/voices.bin"
    kokoro = voice(name)
    spoken = asyncio.run(kokoro.speak("Hi", "en", 1))
    assert spoken.audio == Audio(b"\0\0\xff\x7f\x01\x80\x00\x40", 24_000)
    with pytest.raises(UsageError, match="speaks 'en', not 'zh'"):
        asyncio.run(kokoro.speak("Hi", "zh", 1))
    with pytest.raises(ParticipantError, match="samples that are not numbers"):
        asyncio.run(kokoro.speak("nan", "en", 1))


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("", "add voice=af_sarah"),
        ("?voice=af_sarah", r"add voices=VOICES\.bin"),
        ("?voice=x&voices=v.bin", "'x' names no known language"),
        ("?voice=af_sarah&voices=missing.bin", "missing.bin: No such file"),
    ],
)
def test_kokoro_needs_a_voice_and_its_file(engines: Path, query: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        voice(f"kokoro/{engines}/kokoro.onnx{query}")


def test_whisper_listens(engines: Path) -> None:
    whisper = recognizer(f"whisper/{engines}/small?device=cpu")
    heard = asyncio.run(whisper.transcribe(SECOND, "vi"))
    assert heard.text == "16000 samples in vi on cpu."
    assert heard.usage is not None
    assert (heard.usage.model, heard.usage.audio_seconds) == ("whisper/small", 1.0)
    assert asyncio.run(whisper.transcribe(Audio(b"\0\0", 16_000), "vi")).text == ""


@pytest.mark.parametrize(
    ("language", "code"),
    [("fil-PH", "tl"), ("cmn-Hans-CN", "zh"), ("zh-TW", "zh"), ("en-GB", "en")],
)
def test_whisper_is_told_the_language_by_its_own_code(
    engines: Path, language: str, code: str
) -> None:
    whisper = recognizer(f"whisper/{engines}/small")
    heard = asyncio.run(whisper.transcribe(SECOND, language))
    assert heard.text == f"16000 samples in {code} on auto."


def test_whisper_refuses_a_language_that_its_model_does_not_know(engines: Path) -> None:
    whisper = recognizer(f"whisper/{engines}/small")
    with pytest.raises(UsageError, match="does not know 'xx': it knows en, tl, vi, zh"):
        asyncio.run(whisper.transcribe(SECOND, "xx"))
    english = (engines / "small").rename(engines / "small.en")
    whisper = recognizer(f"whisper/{english}")
    with pytest.raises(UsageError, match="does not know 'vi': it hears English only"):
        asyncio.run(whisper.transcribe(SECOND, "vi"))


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("device=gpu", "device is one of auto, cpu, cuda, not 'gpu'"),
        ("compute_type=int4", "compute_type is one of auto, default,"),
        ("beam_size=0", "beam_size is at least 1"),
        ("cpu_threads=-1", "cpu_threads is at least 1"),
        ("vad_filter=1", "vad_filter is of type boolean"),
    ],
)
def test_whisper_refuses_a_setting_that_is_none(engines: Path, query: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        recognizer(f"whisper/{engines}/small?{query}")


@pytest.mark.parametrize("name", ["config.json", "model.bin", "tokenizer.json"])
def test_a_whisper_folder_without_a_file_gets_one_line(engines: Path, name: str) -> None:
    (engines / "small" / name).unlink()
    with pytest.raises(UsageError, match=f"small has no {name}: give the folder of a model"):
        recognizer(f"whisper/{engines}/small")


def test_a_name_without_a_folder_is_a_model_to_download(
    engines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(engines)
    monkeypatch.setenv("XDG_CACHE_HOME", str(engines / "cache"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert recognizer("whisper/small").identity == recognizer(f"whisper/{engines}/small").identity
    with pytest.raises(UsageError, match=r"^whisper/base: model base \(148 MB\) cannot be"):
        recognizer("whisper/base")
    with pytest.raises(UsageError, match=r"did you mean whisper/base\?"):
        recognizer("whisper/bass")
    with pytest.raises(UsageError, match="No such file"):
        recognizer("whisper/./base")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match="HF_HUB_OFFLINE is set"):
        recognizer("whisper/base")
    monkeypatch.setenv("HF_ENDPOINT", "hub.example")
    with pytest.raises(UsageError, match="HF_ENDPOINT is not a web address"):
        recognizer("whisper/base")


def test_vosk_hears_every_utterance_of_a_recording(engines: Path) -> None:
    vosk = recognizer(f"vosk/{engines}/small?language=en")
    assert asyncio.run(vosk.transcribe(Audio(bytes(17_000), 16_000), "en")).text == (
        "so far 8000 so far 16000 the rest"
    )
    with pytest.raises(UsageError, match="knows 'en', not 'vi'"):
        asyncio.run(vosk.transcribe(SECOND, "vi"))
    with pytest.raises(UsageError, match="add language=en"):
        recognizer(f"vosk/{engines}/small")


def test_a_model_that_cannot_be_loaded_is_infrastructure(engines: Path) -> None:
    (engines / "broken").mkdir()
    vosk = recognizer(f"vosk/{engines}/broken?language=en")
    with pytest.raises(ParticipantError, match="Exception: Failed to create a model"):
        asyncio.run(vosk.transcribe(SECOND, "en"))


def test_the_identity_follows_the_files_and_not_their_place(engines: Path) -> None:
    first = recognizer(f"whisper/{engines}/small").identity
    moved = (engines / "small").rename(engines / "moved")
    assert recognizer(f"whisper/{moved}").identity == first
    (moved / "model.bin").write_bytes(b"another")
    assert recognizer(f"whisper/{moved}").identity != first
    assert (
        recognizer(f"whisper/{moved}?beam_size=1").identity
        != recognizer(f"whisper/{moved}").identity
    )


def test_a_file_that_is_missing_gets_one_line(engines: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        recognizer(f"whisper/{engines}/large")
    with pytest.raises(UsageError, match="No such file"):
        voice(f"piper/{engines}/kokoro.onnx")
    (engines / "en.onnx.json").write_text("{}")
    with pytest.raises(UsageError, match="names no language"):
        voice(f"piper/{engines}/en.onnx")


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("piper/x.onnx", "piper-tts"),
        ("whisper/base", r'"dragoman\[whisper\]"'),
        ("whisper/x/y", r'"dragoman\[whisper\]"'),
        ("vosk/x?language=en", "vosk"),
    ],
)
def test_without_its_package_an_engine_says_how_to_install_it(name: str, package: str) -> None:
    resolve = voice if name.startswith("piper") else recognizer
    with pytest.raises(UsageError, match=f"pip install {package}$"):
        resolve(name)
