"""Sizes of the chaos tests: small for every change, full in `make search`."""

import os

IS_FULL = os.environ.get("DRAGOMAN_FULL_CHAOS") == "1"

KILLS = 20 if IS_FULL else 6
"""Kills of one run, dataset or translation before it is compared with an unbroken one."""

CONVERSATIONS = 1_000 if IS_FULL else 300
"""Conversations that are played among faults by workers, and between kills."""
