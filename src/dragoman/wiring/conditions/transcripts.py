"""Where recognizers write transcripts, and what a run records of which one agents receive."""

from dragoman.core.conditions import ITSELF, SIMULATED, TEXT, Condition
from dragoman.core.speech import UNDERSTOOD, TranscriptForm


def has_transcript(condition: Condition) -> bool:
    """Whether a recognizer, real or simulated, writes down what users say under a condition."""
    if condition.voice.startswith(SIMULATED):
        return True
    return condition.voice != TEXT and condition.recognizer not in {ITSELF, UNDERSTOOD}


def transcript_record(condition: Condition, form: TranscriptForm) -> dict[str, object]:
    """Return what is recorded of the transcript that agents receive: nothing for the default."""
    if form == "normalized" or not has_transcript(condition):
        return {}
    return {"transcript": form}
