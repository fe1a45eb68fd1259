"""What reading bytes that somebody else wrote may raise."""

import msgspec

UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""Bytes that are no text, no JSON or TOML, not of the type asked for, or nested without end."""
