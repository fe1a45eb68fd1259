"""The metrics of MM-tau-p2 (arXiv 2603.09643) and their composite score, computed from measures."""
