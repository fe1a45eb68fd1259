"""Results of stored runs as rows: summaries, comparisons and polars data frames.

It reads stores and never plays, scores or prints.
"""
