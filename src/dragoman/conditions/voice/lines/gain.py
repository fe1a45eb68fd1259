"""Turned up, turned down, and overdriven."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from dragoman.conditions.voice.lines.levels import factor
from dragoman.conditions.voice.lines.signal import Signal, Treated, frame_count, frame_spans


class Gain(msgspec.Struct, frozen=True, tag_field="effect", tag="gain"):
    """The sound is louder or quieter; what then exceeds full scale is cut off in the end."""

    draws: ClassVar[bool] = False

    db: Annotated[float, Meta(ge=-80, le=40)]

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return the signal at the other level."""
        changed = signal.whole if self.db else []
        return Treated(signal.with_samples(signal.samples * factor(self.db)), changed)


class Clip(msgspec.Struct, frozen=True, tag_field="effect", tag="clip"):
    """Peaks are cut off, as by a microphone that is held too close.

    Attributes:
        ceiling_db: Where they are cut off, in relation to the highest peak, so that loud and quiet
            voices are clipped alike.
    """

    draws: ClassVar[bool] = False

    ceiling_db: Annotated[float, Meta(ge=-60, le=0)] = -6.0

    def treat(self, signal: Signal, _seed: int) -> Treated:
        """Return the clipped signal; the spans are the frames in which something was cut off."""
        import numpy as np

        sizes = np.abs(signal.samples)
        ceiling = float(sizes.max(initial=0.0)) * factor(self.ceiling_db)
        cut = sizes > ceiling
        frames = np.zeros(frame_count(signal), dtype=np.bool_)
        frames[np.flatnonzero(cut) // signal.frame_length] = True
        spans = frame_spans(frames, signal)
        samples = np.clip(signal.samples, -ceiling, ceiling)
        found: dict[str, object] = {"clipped_samples": int(cut.sum())}
        return Treated(signal.with_samples(samples), spans, found=found)
