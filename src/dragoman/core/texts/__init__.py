"""Text utilities: decoding, redaction, alignment, entities and calls written in text."""
