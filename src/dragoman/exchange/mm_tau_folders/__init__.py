"""Run folders of MM-tau-p2's code: written of runs, and read as runs. Nothing in them is ever evaluated."""
