"""Files on disk: runs, reply cache, datasets, audio sets and translation memories."""
