"""Worker pools over processes and machines: items go out as bytes, results return to one writer.

It contains how workers are started, fed, watched and replaced. The opener of a worker decides what
the items are (conversations, scores, sounds); nothing here stores anything.
"""
