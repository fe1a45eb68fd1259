import gc

import pytest

from dragoman.runs.process_limits import infrequent_gc


def test_the_collectors_settings_are_restored() -> None:
    before = gc.get_threshold()

    def fail() -> None:
        with infrequent_gc():
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
        with infrequent_gc():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
