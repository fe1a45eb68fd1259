"""Leaderboard and report section of International Tool Calling."""
