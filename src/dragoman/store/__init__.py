"""Files on disk: runs, reply cache, datasets, audio sets and translation memories.

A file is complete or unchanged after a crash, and `atomic_files` offers this to all other packages.
The content of a file is untrusted: reads are bounded, and links are not followed out of a folder.
"""
