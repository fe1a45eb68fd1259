"""The tables and figures of MM-tau-p2 of a board."""
