"""The metrics of MM-tau-p2 and their composite, from what measures counted."""
