"""Building of data: translated suites, datasets of web APIs and audio sets, in resumable steps.

Nothing is played or scored here, and nothing is written outside the folders that were named.
"""
