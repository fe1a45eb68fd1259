"""International Tool Calling: summary of API calls, tables, leaderboard and report section."""
