"""Import and export: result files of other programs, and tables, logs and bundles for them.

Imported files become runs; no conversation is played here.
"""
