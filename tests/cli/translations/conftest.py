"""The bundled sample, as much of it as can be translated."""

from pathlib import Path

import pytest

from dragoman.curation.translation.discovery import domain_of
from dragoman.registry.suites import load_suite


@pytest.fixture(scope="session")
def texts() -> int:
    """Number of distinct texts in the sample."""
    segments = domain_of(load_suite("sample:shop"), Path("none")).segments
    return len({(segment.context, segment.source) for segment in segments})
