"""Forms with a file, read by another library's server."""

import asyncio

import aiohttp
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.http.http_request import FormFile, encode_form
from dragoman.testing.local_server import HOST

SOUND = bytes(range(256)) * 3 + b"\r\n--form-\r\n\r\n"


async def received(content_type: str, body: bytes) -> dict[str, object]:
    fields: dict[str, object] = {}

    async def take(request: web.Request) -> web.Response:
        for name, value in (await request.post()).items():
            match value:
                case web.FileField(filename=filename, file=file):
                    fields[name] = (filename, file.read())
                case _:
                    fields[name] = value
        return web.Response()

    application = web.Application()
    application.router.add_post("/", take)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        url = f"http://{HOST}:{runner.addresses[0][1]}/"
        async with aiohttp.ClientSession() as client:
            headers = {"Content-Type": content_type}
            assert (await client.post(url, data=body, headers=headers)).status == 200
    finally:
        await runner.cleanup()
    return fields


def test_a_server_reads_fields_and_file_as_they_were() -> None:
    fields = {"model": "whisper-1", "temperature": 0.5, "tags": False, "prompt": 'a "quoted" é'}
    form = encode_form(fields, FormFile("file", "audio.wav", "audio/wav", SOUND))
    assert asyncio.run(received(*form)) == {
        "model": "whisper-1",
        "temperature": "0.5",
        "tags": "false",
        "prompt": 'a "quoted" é',
        "file": ("audio.wav", SOUND),
    }


def test_a_name_cannot_break_out_of_its_line() -> None:
    _, body = encode_form({'x"\r\nX-Evil: 1': "v"}, FormFile("file", "a", "b/c", b""))
    assert b"\r\nX-Evil" not in body


@settings(max_examples=settings().max_examples // 5)
@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=4), st.binary())
def test_equal_forms_have_equal_bytes(fields: dict[str, str], content: bytes) -> None:
    file = FormFile("file", "audio.wav", "audio/wav", content)
    assert encode_form(fields, file) == encode_form(dict(fields), file)


def test_other_contents_have_another_boundary() -> None:
    one, other = (
        encode_form({}, FormFile("f", "a", "b/c", content))[0] for content in (b"1", b"2")
    )
    assert one != other
