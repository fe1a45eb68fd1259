"""BFCL v4, the Berkeley Function Calling Leaderboard.

Single-turn calls are parsed from replies and compared with answers, never executed. Multi-turn and
agentic entries are played in simulated APIs.
"""
