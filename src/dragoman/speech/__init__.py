"""Engines that speak and hear: embedded, on this machine, or at providers.

Nothing here knows a condition, a task or a run; whoever needs an engine gets it through `wiring`.
"""
