"""Forms with a file in them, as HTTP carries them; equal forms have equal bytes."""

import hashlib
from collections.abc import Mapping

import msgspec


class File(msgspec.Struct, frozen=True):
    """A file in a form: the field's name, the file's name, its type and its bytes."""

    field: str
    name: str
    content_type: str
    content: bytes


def form_with(fields: Mapping[str, object], file: File) -> tuple[str, bytes]:
    """Return the content type and the body of a form.

    Values that are no text are written as JSON. The boundary follows from what the form holds.
    """
    texts = {name: _text(value) for name, value in fields.items()}
    digest = hashlib.sha256(msgspec.json.encode((texts, file.name)))
    digest.update(file.content)
    boundary = f"form-{digest.hexdigest()}"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n{text}\r\n'
        for name, text in texts.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(file.field)}"; '
        f'filename="{_quoted(file.name)}"\r\nContent-Type: {file.content_type}\r\n\r\n'
    )
    body = (
        "".join(parts).encode() + head.encode() + file.content + f"\r\n--{boundary}--\r\n".encode()
    )
    return f"multipart/form-data; boundary={boundary}", body


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
