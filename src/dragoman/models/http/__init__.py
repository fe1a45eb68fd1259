"""HTTP transport: the transport protocol, an HTTP/1.1 client with a connection pool, WebSockets.

The package does not know the purpose of a request; it neither retries it nor waits for a rate
limit.
"""
