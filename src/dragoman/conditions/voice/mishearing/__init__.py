"""Hearing errors without audio: what a recognizer might have heard, drawn by sound."""
