"""MM-tau-p2 (arXiv 2603.09643): metrics, tables, figures, data frame and leaderboard."""
