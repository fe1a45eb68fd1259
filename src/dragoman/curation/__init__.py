"""Building of data: translated suites, datasets of web APIs and audio sets.

The steps are resumable. Nothing is played or scored here, and no file is written outside the named
folders.
"""
