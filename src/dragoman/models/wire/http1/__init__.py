"""HTTP/1.1 over connections of our own: heads, connections that are opened, kept and read.

Only what carries requests to endpoints lies here; what it is used through is `wire.http`.
"""
