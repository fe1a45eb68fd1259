"""Registries: names of suites, agents, models, measures or engines become objects.

Other packages add objects through entry points.
"""
