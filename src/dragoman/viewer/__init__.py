"""What people look at in a browser while they work: a local server over stored runs.

It reads runs and writes none. No name in a request reaches the file system before it was found among
names that are known, and nobody but this machine is answered.
"""
