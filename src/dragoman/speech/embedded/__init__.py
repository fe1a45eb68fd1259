"""Embedded speech engines: espeak-ng and pocketsphinx in worker processes."""
