"""HTTP requests as bytes: destination, cached request heads, and multipart forms.

Equal forms have equal bytes.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache

import msgspec
from yarl import URL

from dragoman.models.http.transport import TransportError

PORTS = {"http": 80, "https": 443}
OUR_OWN = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "transfer-encoding"}
)
"""Names of headers that describe how a message is sent; callers cannot set them."""


class Peer(msgspec.Struct, frozen=True):
    """The peer of a connection; two calls may share a connection if all of these fields are equal.

    Attributes:
        host: Host name or number, as given to DNS.
        secure: Whether the connection uses TLS.
        proxy: The proxy on the way, with its credentials; None for a direct connection.
    """

    host: str
    port: int
    secure: bool
    proxy: URL | None = None

    @property
    def name(self) -> str:
        """The peer's name in messages, without the proxy's credentials."""
        at = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{at}:{self.port}"

    @property
    def tunnelled(self) -> bool:
        """Whether the proxy opens a tunnel and does not read its content."""
        return self.proxy is not None and self.secure


class Destination(msgspec.Struct, frozen=True, eq=False):
    """Destination of a request: the peer, and the lines of a head that do not change.

    Each cached address has one Destination object.

    `authorization` holds the credentials in the address, for calls without an Authorization header.
    """

    peer: Peer
    target: bytes
    lines: bytes
    authorization: bytes


MOST_KNOWN = 1024
"""Largest number of cached addresses."""


@lru_cache(maxsize=MOST_KNOWN)
def destination_of_url(url: str | URL, proxy: str | None) -> Destination:
    """Return the destination of a request for an address.

    Raises:
        TransportError: If the address is not one of a web server.
    """
    parsed = peer = None
    try:
        parsed = URL(url)
        peer = peer_of_url(parsed, URL(proxy) if proxy else None)
    except ValueError:
        pass  # raised below, so that the error has no context
    if parsed is None or peer is None:
        raise TransportError("connect", "no address of a web server")
    by_proxy = peer.proxy is not None and not peer.tunnelled
    whole = parsed.with_user(None).with_fragment(None)
    lines = f"Host: {parsed.host_port_subcomponent}\r\nAccept-Encoding: identity\r\n"
    if by_proxy and peer.proxy is not None:
        lines += "".join(f"{line}\r\n" for line in proxy_lines(peer.proxy))
    target = str(whole) if by_proxy else parsed.raw_path_qs
    authorization = f"Authorization: {basic_credentials(parsed)}\r\n" if parsed.user else ""
    return Destination(peer, target.encode(), lines.encode(), authorization.encode())


def peer_of_url(url: URL, proxy: URL | None = None) -> Peer | None:
    """Return the peer of an address, or None if it is not the address of a web server."""
    if url.scheme not in PORTS or not url.raw_host or url.port is None:
        return None
    return Peer(url.raw_host, url.port, url.scheme == "https", proxy)


def proxy_lines(proxy: URL) -> list[str]:
    """Return the lines of a head that identify us to a proxy."""
    return [f"Proxy-Authorization: {basic_credentials(proxy)}"] if proxy.user else []


def basic_credentials(url: URL) -> str:
    """Return the user and the password of an address, encoded for a header."""
    credentials = f"{url.user or ''}:{url.password or ''}".encode()
    return f"Basic {base64.b64encode(credentials).decode()}"


def request_head(address: Destination, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """Return the head of a request: a POST of a body, or a GET without one.

    Raises:
        ValueError: If a header contains a line break, or is one that callers cannot set.
    """
    return _head(address, _lines(address, headers), body)


def _lines(address: Destination, headers: Mapping[str, str]) -> bytes:
    """Return the lines of a head that do not depend on the body."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    if lines.count("\n") != len(headers) or lines.count("\r") != len(headers) or "\0" in lines:
        raise ValueError("a header holds a line's end")
    names = {name.lower() for name in headers}
    if not names.isdisjoint(OUR_OWN):
        raise ValueError("a header that no call has a say in")
    said = address.lines + lines.encode()
    if "accept" not in names:
        said += b"Accept: */*\r\n"
    if address.authorization and "authorization" not in names:
        said += address.authorization
    return said


def _head(address: Destination, said: bytes, body: bytes | None) -> bytes:
    if body is None:
        return b"GET %b HTTP/1.1\r\n%b\r\n" % (address.target, said)
    return b"POST %b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n" % (address.target, said, len(body))


class RequestHeadCache:
    """Cache of request heads.

    The lines that repeat for an address are written once.
    """

    def __init__(self) -> None:
        self._known: dict[Destination, tuple[Mapping[str, str], bytes]] = {}

    def head(self, address: Destination, headers: Mapping[str, str], body: bytes | None) -> bytes:
        """Return the result of `request_head`.

        Raises:
            ValueError: As `request_head`.
        """
        known = self._known.get(address)
        if known is None or known[0] != headers:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[address] = dict(headers), _lines(address, headers)
        return _head(address, known[1], body)


class FormFile(msgspec.Struct, frozen=True):
    """A file in a form: the field's name, the file's name, its type and its bytes."""

    field: str
    name: str
    content_type: str
    content: bytes


def encode_form(fields: Mapping[str, object], file: FormFile) -> tuple[str, bytes]:
    """Return the content type and the body of a form.

    Values that are not text are written as JSON. The boundary is derived from the content of the
    form.
    """
    texts = {name: _text(value) for name, value in fields.items()}
    digest = hashlib.sha256(msgspec.json.encode((texts, file.name)))
    digest.update(file.content)
    boundary = f"form-{digest.hexdigest()}"
    parts = [
        (
            f"--{boundary}\r\nContent-Disposition: form-data; "
            f'name="{_escape_field_name(name)}"\r\n\r\n{text}\r\n'
        )
        for name, text in texts.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_escape_field_name(file.field)}"; '
        f'filename="{_escape_field_name(file.name)}"\r\nContent-Type: {file.content_type}\r\n\r\n'
    )
    body = (
        "".join(parts).encode() + head.encode() + file.content + f"\r\n--{boundary}--\r\n".encode()
    )
    return f"multipart/form-data; boundary={boundary}", body


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _escape_field_name(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
