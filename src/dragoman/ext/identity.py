"""Content keys: what makes two things the same in caches and in the keys of conversations."""

from dragoman.core.content_keys import content_key, derive_seed

__all__ = ["content_key", "derive_seed"]
