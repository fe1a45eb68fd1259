import gc

import pytest

from dragoman.runs.collector import rare_collection


def test_the_collectors_settings_are_restored() -> None:
    before = gc.get_threshold()

    def fail() -> None:
        with rare_collection():
            assert gc.get_threshold() != before
            assert gc.get_freeze_count() > 0
            raise ValueError("of the caller")

    with pytest.raises(ValueError, match="of the caller"):
        fail()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_what_the_caller_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        with rare_collection():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
