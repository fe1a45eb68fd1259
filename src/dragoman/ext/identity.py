"""Content keys and seeds: two objects with one content key are the same everywhere."""

from dragoman.core.content_keys import content_key, derive_seed

__all__ = ["content_key", "derive_seed"]
