"""Speech engines: the protocols of synthesizers and recognizers, and simulated ASR errors."""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.conditions.voice.asr_error_simulation.simulator import ErrorSimulator
    from dragoman.core.audio import Audio
    from dragoman.core.protocols import Recognizer, SynthesisResult, Synthesizer, Transcript
    from dragoman.registry.speech_engines import resolve_recognizer, resolve_synthesizer

__all__ = [
    "Audio",
    "ErrorSimulator",
    "Recognizer",
    "SynthesisResult",
    "Synthesizer",
    "Transcript",
    "resolve_recognizer",
    "resolve_synthesizer",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.conditions.voice.asr_error_simulation.simulator": ("ErrorSimulator",),
            "dragoman.core.audio": ("Audio",),
            "dragoman.core.protocols": (
                "Recognizer",
                "SynthesisResult",
                "Synthesizer",
                "Transcript",
            ),
            "dragoman.registry.speech_engines": ("resolve_recognizer", "resolve_synthesizer"),
        },
    )
