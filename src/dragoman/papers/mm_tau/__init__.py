"""Leaderboard, report section and data frame of MM-tau-p2."""
