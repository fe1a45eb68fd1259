"""Measures that ship, and what one needs to write more: counting functions, and judges with rubrics.

Here a stored conversation becomes counts with evidence. Figures are made of counts in `analysis`.
"""
