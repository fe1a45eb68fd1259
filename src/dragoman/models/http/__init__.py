"""HTTP transport: the transport protocol, an HTTP/1.1 client with a connection pool, WebSockets.

Nothing here knows what a request is for, retries it, or waits for a rate limit.
"""
