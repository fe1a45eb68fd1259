"""Registries: names of suites, agents, models, measures and speech engines become objects.

Other packages add their own through entry points.
"""
