"""Value matching: whether a text states a value in words or figures, by language."""
