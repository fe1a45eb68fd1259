"""`dragoman leaderboard`, style by style."""
