"""Simulation of speech recognition errors without audio: confusions drawn by sound."""
