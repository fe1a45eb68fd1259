"""Writes the tables of the bundled world: `python -m bench.world` after a change of what is here.

Figures are drawn, seeded by the table's name; names of places and codes are public facts; streets,
firms, people and timetables are invented.
"""
