"""Plans, plays, resumes, scores and checks runs.

Tables of what came of it and files of others belong to the rooms above.
"""
