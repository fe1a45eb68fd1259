"""Translation of a suite: from its artifacts to the same artifacts in another language."""
