"""What errors of pyreqwest, which sends our requests, say of the way to an endpoint.

Told by the causes that it names, in the words of hyper and reqwest. Their first quotes the address and is
left out; none of the others quotes what was received.
"""

from urllib.parse import urlsplit

from pyreqwest.exceptions import ConnectError, ConnectTimeoutError, NetworkError, PyreqwestError

from dragoman.models.wire.transport import Fault, Timeouts

CONNECTING = "client error (Connect)"
RESOLVING = "dns error"
READING = "error reading a body from connection"
UNTRUSTED = "invalid peer certificate"
BAD_CHUNK = "Invalid chunk"


def fault_of(error: Exception, url: str, seconds: float, timeouts: Timeouts) -> Fault:
    """Return what one of the library's errors says of the way to an endpoint.

    Args:
        error: The library's, or Python's where something cannot be sent at all.
        url: What was asked.
        seconds: After how many seconds it broke.
        timeouts: How long was waited: the library calls it connecting until an answer begins.
    """
    match error:
        case ValueError():
            return Fault("connect", "an address or a header that cannot be sent", may_pass=False)
        case ConnectTimeoutError() if seconds < min(timeouts.read, timeouts.total):
            return Fault("connect", "no connection in time")
        case TimeoutError():
            return Fault("timeout", "no answer in time")
        case ConnectError():
            return _unconnected(_causes(error), url)
        case PyreqwestError():
            return _unfinished(_causes(error), is_network=isinstance(error, NetworkError))
        case _:
            return Fault("cut", f"the connection broke ({type(error).__name__})")


def _unconnected(causes: list[str], url: str) -> Fault:
    if RESOLVING in causes:
        return Fault("dns", f"no address found for {urlsplit(url).hostname}")
    if any(cause.startswith(UNTRUSTED) for cause in causes):
        return Fault("connect", "its certificate is not to be trusted")
    if CONNECTING not in causes:
        return Fault("cut", "the connection was cut")
    return Fault("connect", f"no connection ({causes[-1].partition(' (os error')[0]})")


def _unfinished(causes: list[str], *, is_network: bool) -> Fault:
    is_reading = READING in causes and not causes[-1].startswith(BAD_CHUNK)
    if is_reading or is_network:
        return Fault("cut", "the connection was cut")
    return Fault("broken_http", "no HTTP answer")


def _causes(error: PyreqwestError) -> list[str]:
    """Return what an error came from, the outermost first."""
    details = getattr(error, "details", None) or {}
    return [cause["message"] for cause in details.get("causes") or ()][1:]
