"""Files that come in and go out: result files of references, tables for other tools.

What is read becomes a run of ours; nothing is played here.
"""
