"""What errors of aiohttp, which opens our WebSockets, say of the way to an endpoint."""

import aiohttp

from dragoman.models.wire.transport import Fault, FaultKind


def fault_of(error: Exception) -> Fault:
    """Return what one of the library's errors says of the way to an endpoint."""
    kind: FaultKind = "connect"
    match error:
        case aiohttp.ClientConnectorDNSError():
            kind, detail = "dns", f"no address found for {error.host}"
        case aiohttp.ConnectionTimeoutError():
            detail = "no connection in time"
        case aiohttp.ClientConnectorCertificateError():
            detail = "its certificate is not to be trusted"
        case aiohttp.ClientConnectorError():
            detail = f"no connection ({_reason(error.os_error)})"
        case TimeoutError():
            kind, detail = "timeout", "no answer in time"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            kind, detail = "cut", "the connection was cut"
        case OSError():
            kind, detail = "cut", f"the connection broke ({_reason(error)})"
        case _:
            kind, detail = "broken_http", f"no HTTP answer ({type(error).__name__})"
    return Fault(kind, detail)


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
