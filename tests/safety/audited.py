"""Main module of a process that runs commands under an audit hook.

It gets a JSON list of lists of words, and writes the actions of the commands beyond reading, one
JSON object per line, into the file that AUDITED names. It has a separate process because an audit
hook cannot be removed.
"""

import contextlib
import io
import json
import os
import resource
import sys
from pathlib import Path

MARK = "OF_A_STRANGER"
"""Part of every text of a stranger: none of these texts may be compiled."""

MOST_MEMORY = 4 * 2**30

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
ONE_PATH = {
    *("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime"),
    *("os.setxattr", "os.mkfifo", "shutil.rmtree", "tempfile.mkdtemp", "tempfile.mkstemp"),
}
TWO_PATHS = {"os.rename", "os.link", "os.symlink", "shutil.move", "shutil.copyfile"}
NEVER = {
    *("subprocess.Popen", "os.exec", "os.system", "os.posix_spawn", "os.fork", "os.forkpty"),
    *("os.spawn", "os.startfile", "os.kill", "pty.spawn", "webbrowser.open", "urllib.Request"),
    *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"),
    *("pickle.find_class", "sqlite3.load_extension"),
    *("sqlite3.enable_load_extension", "ftplib.connect", "http.client.connect", "smtplib.connect"),
}
_LIBRARIES = tuple(str(Path(place).resolve()) for place in {sys.prefix, sys.base_prefix})


class Audit:
    """Recorded actions by kind, while `is_on` is true."""

    def __init__(self) -> None:
        self.is_on = False
        self.done: list[dict[str, str]] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """Note an event that does more than read."""
        if not self.is_on:
            return
        what = self._told(event, arguments)
        if what:
            self.is_on = False
            self.done += [{"event": event, "what": each} for each in what]
            self.is_on = True

    def _told(self, event: str, arguments: tuple[object, ...]) -> list[str]:
        if event == "open":
            return self._opened(*arguments)
        if event in {"compile", "exec"}:
            return self._run(arguments)
        if event in ONE_PATH or event in TWO_PATHS:
            return [_path(each) for each in arguments[: 1 + (event in TWO_PATHS)]]
        if event == "ctypes.dlopen":
            return [str(arguments[0])] if not _is_of_a_library(str(arguments[0])) else []
        return [repr(arguments)[:200]] if event in NEVER else []

    def _opened(self, path: object, mode: object, flags: object) -> list[str]:
        writes = isinstance(flags, int) and flags & WRITES != 0
        writes = writes or (isinstance(mode, str) and not set(mode).isdisjoint("wax+"))
        return [_path(path)] if writes and not isinstance(path, int) else []

    def _run(self, arguments: tuple[object, ...]) -> list[str]:
        """Return code that comes from elsewhere than a library's file, or has a stranger's text in it."""
        source = arguments[0]
        text = repr(getattr(source, "co_consts", source))
        place = str(getattr(source, "co_filename", "") or "")
        is_foreign = MARK in text or MARK in place
        return [f"{place} {text[:200]}"] if is_foreign else []


def _path(path: object) -> str:
    """Return a path as it was given, from the root: links in it are not followed."""
    return (
        str(Path.cwd() / os.fsdecode(path)) if isinstance(path, str | bytes | Path) else repr(path)
    )


def _is_of_a_library(name: str) -> bool:
    return name == "None" or "/" not in name or name.startswith((*_LIBRARIES, "/lib", "/usr/lib"))


def main() -> None:
    """Run the commands; record output and end of each."""
    commands = json.loads(sys.argv[1])
    # An action that would fill the machine's memory fails instead, and is visible.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    audit = Audit()
    sys.addaudithook(audit)
    from dragoman.cli.main import main as dragoman

    ended = []
    for words in commands:
        sys.argv = ["dragoman", *words]
        output = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        first = len(audit.done)
        audit.is_on = True
        status: object = 0
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                dragoman()
            except SystemExit as end:
                status = end.code
            except BaseException as error:  # noqa: BLE001 - printed for the reader
                status = repr(error)
        audit.is_on = False
        printed = output.buffer.getvalue().decode("utf-8", "replace")
        done = audit.done[first:]
        ended.append({"words": words, "status": status, "printed": printed, "done": done})
    Path(os.environ["AUDITED"]).write_text(json.dumps(ended))


if __name__ == "__main__":
    main()
