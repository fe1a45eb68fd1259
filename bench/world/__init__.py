"""Writes the tables of the bundled world: `python -m bench.world`.

Run it after a change in this package. Figures are random, seeded by the table's name. Names of
places and codes are public facts; streets, firms, people and timetables are invented.
"""
