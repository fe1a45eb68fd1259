"""Content keys and seeds: two things with one content key are the same in caches and in conversations."""

from dragoman.core.content_keys import content_key, derive_seed

__all__ = ["content_key", "derive_seed"]
