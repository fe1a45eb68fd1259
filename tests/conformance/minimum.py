"""The least number of records that a comparison with recorded truth must have compared."""

import os


def at_least(records: int) -> int:
    """Return this number for the default folder of truth, and 1 for a folder in DRAGOMAN_TRUTH.

    Another folder may hold fewer records. The tests print how many they compared.
    """
    return 1 if os.environ.get("DRAGOMAN_TRUTH") else records
