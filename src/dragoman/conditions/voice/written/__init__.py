"""Heard words as people type them: what was spelled or said in words, read back."""
