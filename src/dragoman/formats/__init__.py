"""Import and export: result files of other programs, and tables, logs and bundles for them.

Files that are read become runs of ours; nothing is played here.
"""
