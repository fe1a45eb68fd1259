"""Worker pools over processes and machines: items go out as bytes, results return.

The package starts workers, sends items to them, watches and replaces them. The opener of a worker
decides what the items are (conversations, scores, sounds). Nothing here stores anything: the caller
alone writes the results.
"""
