"""`GorillaFileSystem`: shell commands over an in-memory file tree, bounded in size and depth."""

from collections.abc import Callable, Mapping

import msgspec

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongTexts
from dragoman.core.errors import DataError

MAX_ENTRIES = 10_000
"""Files and directories at all places of a tree; those of the data have fewer than 200."""

MAX_DEPTH = 50
"""Directories inside one another."""


class TreeFile(msgspec.Struct):
    """A file; `content` is whatever was written, mostly text."""

    content: str


class Directory:
    """A directory; `contents` keeps the order in which names were added.

    `parent` is where `..` leads: it stays what it was when a directory above is moved or copied.
    """

    __slots__ = ("contents", "name", "parent")

    def __init__(self, name: str, parent: "Directory | None" = None) -> None:
        self.name = name
        self.parent = parent
        self.contents: dict[str, Node] = {}

    def path(self) -> str:
        """Return the names from the root to here, the root's own name included."""
        names: list[str] = []
        here: Directory | None = self
        while here is not None:
            names.append(here.name)
            here = here.parent
        return "/" + "/".join(reversed(names))

    def root(self) -> "Directory":
        """Return the directory that has no parent."""
        here = self
        while here.parent is not None:
            here = here.parent
        return here

    def find(self, path: str) -> "Directory | None":
        """Return the directory at a path, absolute or from here; None where there is none."""
        here = self.root() if path.startswith("/") else self
        for name in path.strip("/").split("/") if path != "/" else ():
            node = here if name == "." else here.contents.get(name)
            if not isinstance(node, Directory):
                return None
            here = node
        return here

    def entries(self) -> list[tuple[str, "Node"]]:
        """Return path and node of everything below, parents first.

        Raises:
            ApiRefusal: If the tree would exceed MAX_ENTRIES or MAX_DEPTH.
        """
        _count(self, 1)
        found: list[tuple[str, Node]] = []
        _collect(self, "", found)
        return found

    def place(self, name: str, node: "Node") -> None:
        """Add a node, or raise ApiRefusal and add nothing if the tree would exceed its limits."""
        self.contents[name] = node
        try:
            _count(self.root(), 1)
        except ApiRefusal:
            del self.contents[name]
            raise

    def plain(self) -> dict[str, object]:
        """Return the contents as plain values: texts for files, objects for directories."""
        return {
            name: node.content if isinstance(node, TreeFile) else node.plain()
            for name, node in self.contents.items()
        }


Node = TreeFile | Directory


def _count(directory: Directory, depth: int) -> int:
    """Return how many places a directory has below it, or raise Refused out of bounds."""
    if depth > MAX_DEPTH:
        raise ApiRefusal(f"directories nested more than {MAX_DEPTH} deep")
    count = len(directory.contents)
    for node in directory.contents.values():
        if isinstance(node, Directory):
            count += _count(node, depth + 1)
        if count > MAX_ENTRIES:
            raise ApiRefusal(f"more than {MAX_ENTRIES} files and directories")
    return count


def _collect(directory: Directory, above: str, found: list[tuple[str, Node]]) -> None:
    for name, node in directory.contents.items():
        found.append((above + name, node))
        if isinstance(node, Directory):
            _collect(node, f"{above}{name}/", found)


def read_tree(scenario: Mapping[str, object], long: LongTexts | None) -> Directory:
    """Return the first root that a scenario describes, or an empty `/` if it has none.

    Raises:
        DataError: For a node without what its type needs, or a name that is there already.
    """
    roots = scenario.get("root")
    if roots is None:
        return Directory("/")
    try:
        name, root = next(iter(roots.items()))  # type: ignore[attr-defined]  # checked by failing
        return _directory(name, None, root["contents"], long)
    except (AttributeError, LookupError, StopIteration, TypeError, RecursionError) as error:
        raise DataError(f"the scenario's file tree is damaged: {error!r}") from error


def _directory(
    name: str,
    parent: Directory | None,
    contents: Mapping[str, Mapping[str, object]],
    long: LongTexts | None,
) -> Directory:
    directory = Directory(name, parent)
    for inner, node in contents.items():
        if node["type"] == "directory":
            below = _directory(inner, directory, node["contents"], long)  # type: ignore[arg-type]
            directory.contents[inner] = below
        elif node["type"] == "file":
            directory.contents[inner] = TreeFile(_content(inner, node["content"], long))  # type: ignore[arg-type]
    if long is not None:
        _populate(directory, long)
    return directory


def _content(name: str, content: str, long: LongTexts | None) -> str:
    if long is None or name in long.files_tail_used:
        return content
    return content + long.file_content_extension


def _populate(directory: Directory, long: LongTexts) -> None:
    """Add the empty files that long contexts have in every directory without directories."""
    contents = directory.contents
    if any(isinstance(node, Directory) for node in contents.values()):
        return
    for name in long.populate_file_extension:
        if name in contents:
            raise DataError(f"file {name!r} already exists in directory {directory.name!r}")
        contents[name] = TreeFile("")


_INVALID = '|/\\?%*:"><'
_UNITS = ("B", "KB", "MB", "GB", "TB")
_UNIT_STEP = 1024
_COUNTS: Mapping[str, tuple[str, Callable[[str], int]]] = {
    "l": ("lines", lambda content: len(content.splitlines())),
    "w": ("words", lambda content: len(content.split())),
    "c": ("characters", len),
}
_TAIL_LINES = 10

Shown = dict[str, object]


class GorillaFileSystem:
    """The files of one environment, and the directory that commands work in."""

    __slots__ = ("_here", "_is_long", "_root", "_shown")

    def __init__(self, scenario: Mapping[str, object], long: LongTexts | None) -> None:
        self._root = self._here = read_tree(scenario, long)
        self._is_long = long is not None
        self._shown: dict[str, object] | None = None

    def state(self) -> dict[str, object]:
        """Return the attributes by which environments are compared.

        `root` is an object by the root's name: directories are objects, files are texts. It is
        never written to; after a change, a new object is made.
        """
        if self._shown is None:
            self._shown = {self._root.name: self._root.plain()}
        return {"long_context": self._is_long, "root": self._shown}

    def pwd(self) -> Shown:
        """Return the path of the current directory."""
        return {"current_working_directory": self._here.path()}

    def ls(self, a: bool = False) -> Shown:
        """List the current directory; with `a`, hidden names too."""
        names = [name for name in self._here.contents if a or not name.startswith(".")]
        return {"current_directory_content": names}

    def cd(self, folder: str) -> Shown:
        """Go to a directory: one level down, `..`, `.` or the root."""
        folder = folder.rstrip("/") or "/"
        if folder == "..":
            return self._up()
        if folder != "/" and "/" in folder:
            return _error(
                f"cd: {folder}: Unsupported path. Only one folder level at a time is supported."
            )
        target = self._here.find(folder)
        if target is None:
            return _error(f"cd: '{folder}': No such file or directory")
        self._here = target
        return {"current_working_directory": target.name}

    def mkdir(self, dir_name: str) -> Shown | None:
        """Make an empty directory."""
        return self._make("mkdir: cannot create directory", dir_name, Directory)

    def touch(self, file_name: str) -> Shown | None:
        """Make an empty file."""
        return self._make("touch: cannot touch", file_name, lambda *_: TreeFile(""))

    def echo(self, content: str, file_name: str | None = None) -> Shown | None:
        """Show a text, or make it the content of a file that exists."""
        if not file_name:
            return {"terminal_output": content}
        if _is_invalid(file_name):
            return _error(f"echo: cannot write to '{file_name}': Invalid character")
        node = self._here.contents.get(file_name)
        if node is None:
            return _error(f"echo: cannot write to '{file_name}': No such file")
        if isinstance(node, Directory):
            raise ApiRefusal("'Directory' object has no attribute '_write'")
        self._shown = None
        node.content = content
        return None

    def cat(self, file_name: str) -> Shown:
        """Return a file's content."""
        if _is_invalid(file_name):
            return _error(f"cat: '{file_name}': Invalid character")
        node = self._here.contents.get(file_name)
        if node is None:
            return _error(f"cat: '{file_name}': No such file or directory")
        if isinstance(node, Directory):
            return _error(f"cat: '{file_name}': Is a directory")
        return {"file_content": node.content}

    def find(self, path: str = ".", name: str | None = None) -> Shown:
        """List everything below a directory whose name contains a text."""
        start = self._here.find(path)
        if start is None:
            return _error(f"find: '{path}': No such file or directory")
        above = path.rstrip("/")
        matches = [
            f"{above}/{below}"
            for below, _ in start.entries()
            if name is None or name in below.rpartition("/")[2]
        ]
        return {"matches": matches}

    def wc(self, file_name: str, mode: str = "l") -> Shown:
        """Count a file's lines, words or characters."""
        if mode not in ("l", "w", "c"):
            return _error(f"wc: invalid mode '{mode}'")
        file = self._file(file_name)
        if file is None:
            return _error(f"wc: {file_name}: No such file or directory")
        kind, count = _COUNTS[mode]
        return {"count": count(file.content), "type": kind}

    def sort(self, file_name: str) -> Shown:
        """Return a file's lines in the order of their code points."""
        file = self._file(file_name)
        if file is None:
            return _error(f"sort: {file_name}: No such file or directory")
        return {"sorted_content": "\n".join(sorted(file.content.splitlines()))}

    def grep(self, file_name: str, pattern: str) -> Shown:
        """Return a file's lines that contain a text."""
        file = self._file(file_name)
        if file is None:
            return _error(f"grep: {file_name}: No such file or directory")
        return {"matching_lines": [line for line in file.content.splitlines() if pattern in line]}

    def du(self, human_readable: bool = False) -> Shown:
        """Return how many bytes the files below the current directory have."""
        size = sum(
            len(node.content.encode())
            for _, node in self._here.entries()
            if isinstance(node, TreeFile)
        )
        return {"disk_usage": _readable(size) if human_readable else f"{size} bytes"}

    def tail(self, file_name: str, lines: int = _TAIL_LINES) -> Shown:
        """Return a file's last lines; all for 0, and all but the first n for -n."""
        file = self._file(file_name)
        if file is None:
            return _error(f"tail: {file_name}: No such file or directory")
        content = file.content.splitlines()
        return {"last_lines": "\n".join(content[-min(lines, len(content)) :])}

    def diff(self, file_name1: str, file_name2: str) -> Shown:
        """Return the lines in which two files differ, as far as the shorter one goes."""
        first, second = self._file(file_name1), None
        if first is not None:
            second = self._file(file_name2)
        if first is None or second is None:
            return _error(f"diff: {file_name1} or {file_name2}: No such file or directory")
        pairs = zip(first.content.splitlines(), second.content.splitlines(), strict=False)
        return {"diff_lines": "\n".join(f"- {a}\n+ {b}" for a, b in pairs if a != b)}

    def mv(self, source: str, destination: str) -> Shown:
        """Move into a directory, or rename; what is renamed goes to the end of the listing."""
        into = self._target("mv", "move", source, destination)
        if isinstance(into, dict):
            return into
        name, shown = self._new_name(into, source, destination)
        if name in into.contents:
            return _error(f"mv: cannot move '{source}' to '{shown}': File exists")
        before = dict(self._here.contents)
        node = self._here.contents.pop(source)
        self._shown = None
        try:
            into.place(name, _clone_node(node, name, into))
        except ApiRefusal:
            self._here.contents.clear()
            self._here.contents.update(before)
            raise
        return {"result": f"'{source}' moved to '{shown}'"}

    def rm(self, file_name: str) -> Shown:
        """Remove a file, or a directory with its contents."""
        if file_name not in self._here.contents:
            return _error(f"rm: cannot remove '{file_name}': No such file or directory")
        return self._remove(file_name)

    def rmdir(self, dir_name: str) -> Shown:
        """Remove an empty directory."""
        what = f"rmdir: cannot remove '{dir_name}'"
        node = self._here.contents.get(dir_name)
        if node is None:
            return _error(f"{what}: No such file or directory")
        if not isinstance(node, Directory):
            return _error(f"{what}: Not a directory")
        if node.contents:
            return _error(f"{what}: Directory not empty")
        return self._remove(dir_name)

    def cp(self, source: str, destination: str) -> Shown:
        """Copy into a directory, or under a new name; what a copied directory holds is shared."""
        into = self._target("cp", "copy", source, destination)
        if isinstance(into, dict):
            return into
        name, shown = self._new_name(into, source, destination)
        node = self._here.contents[source]
        if name in into.contents:
            kind = "TreeFile" if isinstance(node, TreeFile) else "Directory"
            raise ApiRefusal(f"{kind} '{source}' already exists in directory '{destination}'.")
        copy = _clone_node(node, name, into)
        if isinstance(copy, Directory):
            copy.contents = dict(copy.contents)
        self._shown = None
        into.place(name, copy)
        return {"result": f"'{source}' copied to '{shown}'"}

    def _file(self, name: str) -> TreeFile | None:
        node = self._here.contents.get(name)
        return node if isinstance(node, TreeFile) else None

    def _up(self) -> Shown:
        if self._here.parent is None:
            return _error("Current directory is already the root. Cannot go back.")
        self._here = self._here.parent
        return {}

    def _make(self, what: str, name: str, make: Callable[[str, Directory], Node]) -> Shown | None:
        if _is_invalid(name):
            return _error(f"{what} '{name}': Invalid character")
        if name in self._here.contents:
            return _error(f"{what} '{name}': File exists")
        self._shown = None
        self._here.place(name, make(name, self._here))
        return None

    def _remove(self, name: str) -> Shown:
        self._shown = None
        del self._here.contents[name]
        return {"result": f"'{name}' removed"}

    def _target(self, command: str, verb: str, source: str, destination: str) -> Directory | Shown:
        """Return the directory in which a moved or copied node will be, or the error."""
        what = f"{command}: cannot {verb} '{source}'"
        if source not in self._here.contents:
            return _error(f"{what}: No such file or directory")
        if "/" in destination:
            return _error(
                f"{command}: path not allowed in destination. "
                "Provide only a file or directory name."
            )
        existing = self._here.contents.get(destination, self._here)
        if isinstance(existing, TreeFile):
            return _error(f"{what} to '{destination}': Not a directory")
        return existing

    def _new_name(self, into: Directory, source: str, destination: str) -> tuple[str, str]:
        """Return the name that a moved or copied node will have, and how it is shown."""
        if into is self._here:
            return destination, destination
        return source, f"{destination}/{source}"


def _error(text: str) -> Shown:
    return {"error": text}


def _is_invalid(name: str) -> bool:
    return any(character in name for character in _INVALID)


def _clone_node(node: Node, name: str, parent: Directory) -> Node:
    """Return a new node with the same content; what lies in a directory keeps its parent."""
    if isinstance(node, TreeFile):
        return TreeFile(node.content)
    directory = Directory(name, parent)
    directory.contents = node.contents
    return directory


def _readable(size: float) -> str:
    for unit in _UNITS:
        if size < _UNIT_STEP:
            return f"{size:.2f} {unit}"
        size /= _UNIT_STEP
    return f"{size:.2f} PB"
