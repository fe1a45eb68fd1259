"""The web viewer: a local HTTP server for browsing stored runs.

It listens on the loopback address only. Nothing here writes into a run: the indices that pages are
made from lie in the cache folder.
"""
