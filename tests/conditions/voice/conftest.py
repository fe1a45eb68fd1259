"""Audio for tests of the voice room."""

import numpy as np
import pytest

from dragoman.core.audio import Audio


@pytest.fixture(scope="session")
def talk() -> Audio:
    """Return six seconds at 22,050 Hz: a buzz of 120 Hz that swells like syllables, with pauses."""
    rate = 22_050
    times = np.arange(6 * rate) / rate
    buzz = np.sum([np.sin(2 * np.pi * 120 * k * times) / k for k in range(1, 26)], axis=0)
    syllables = 0.2 + np.sin(2 * np.pi * 2 * times) ** 2
    pauses = np.sin(2 * np.pi * 0.5 * times) > -0.5
    return Audio((buzz * syllables * pauses * 4_000).astype("<i2").tobytes(), rate)
