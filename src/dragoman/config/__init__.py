"""Run configuration: options, agent specifications and environment variables.

No other package reads environment variables. Nothing here opens a suite, a model or a run.
"""
