"""Speech worker process: `python -m dragoman.speech.embedded.worker`."""

import os
from collections import OrderedDict

import msgspec

from dragoman.conditions.voice.pocketsphinx_data import NOT_INSTALLED
from dragoman.core.audio import Audio
from dragoman.core.errors import DragomanError, UsageError
from dragoman.speech.embedded.espeak_library import SpeechLibrary
from dragoman.speech.embedded.interpolated_model import write_interpolated_model
from dragoman.speech.embedded.pocketsphinx_decoder import Decoder, decode_words, prepare_decoder
from dragoman.speech.embedded.worker_messages import (
    DecoderFiles,
    HearJob,
    Job,
    JobDone,
    JobFailed,
    MixJob,
    Outcome,
    frame_message,
    read_frame,
)

_MOST_DECODERS = 3


class Engines:
    """The loaded engines of a worker.

    They are the speech library, and the decoders of the models that were used last.
    """

    def __init__(self) -> None:
        self._library: SpeechLibrary | None = None
        self._decoders: OrderedDict[DecoderFiles, Decoder] = OrderedDict()

    def prepare(self, job: Job) -> None:
        """Load what a job needs."""
        if isinstance(job, HearJob):
            self._decoder(job.files)
        elif self._library is None:
            self._library = SpeechLibrary()

    def do(self, job: Job) -> bytes:
        """Do a job and return its encoded answer; once in a process."""
        if isinstance(job, HearJob):
            return msgspec.msgpack.encode(decode_words(self._decoder(job.files), job.audio))
        if self._library is None:
            raise UsageError("a job was not prepared")
        if isinstance(job, MixJob):
            return msgspec.msgpack.encode(write_interpolated_model(job, self._library))
        self._library.select(job.engine_voice, job.words_per_minute)
        pcm = self._library.samples(job.text, job.seed)
        return msgspec.msgpack.encode(Audio(pcm, self._library.rate_hz))

    def _decoder(self, files: DecoderFiles) -> Decoder:
        if files not in self._decoders:
            while len(self._decoders) >= _MOST_DECODERS:
                self._decoders.popitem(last=False)
            self._decoders[files] = prepare_decoder(files)
        self._decoders.move_to_end(files)
        return self._decoders[files]


def main() -> None:
    """Do jobs until nobody asks any more."""
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    os.putenv("OMP_NUM_THREADS", "1")
    jobs = os.fdopen(os.dup(0), "rb")
    outcomes = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of an engine must not mix with the outcomes
    engines = Engines()
    while (content := read_frame(jobs)) is not None:
        job = msgspec.msgpack.decode(content, type=Job)
        try:
            outcomes.write(frame_message(_outcome(engines, job)))
            outcomes.flush()
        except BrokenPipeError:
            # The parent process has ended, and nobody reads the outcomes.
            os._exit(1)


def _outcome(engines: Engines, job: Job) -> bytes:
    try:
        engines.prepare(job)
    except DragomanError as error:
        return msgspec.msgpack.encode(_failed_outcome(error))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer_and_exit(engines, job, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as source:
        outcome = source.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        return msgspec.msgpack.encode(JobFailed(f"the engine died (wait status {status})"))
    return outcome


def _answer_and_exit(engines: Engines, job: Job, writing: int) -> None:
    status = 1
    try:
        with os.fdopen(writing, "wb") as target:
            target.write(msgspec.msgpack.encode(_run_job(engines, job)))
        status = 0
    finally:
        os._exit(status)


def _run_job(engines: Engines, job: Job) -> Outcome:
    try:
        return JobDone(engines.do(job))
    except Exception as error:  # noqa: BLE001 - whatever an engine raises is that job's outcome
        return _failed_outcome(error)


def _failed_outcome(error: Exception) -> JobFailed:
    if isinstance(error, ImportError):
        return JobFailed(NOT_INSTALLED, is_usage=True)
    return JobFailed(f"{error}" or type(error).__name__, isinstance(error, UsageError))


if __name__ == "__main__":
    main()
