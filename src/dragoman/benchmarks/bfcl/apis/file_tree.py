"""Directories and files in memory, with bounds on how many and how deep.

Copying a directory shares what lies in it, as in the reference: a tree may hold one node at several
places, so bounds count places and not nodes.
"""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.results import Refused
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
            Refused: Past MAX_ENTRIES or MAX_DEPTH.
        """
        _count(self, 1)
        found: list[tuple[str, Node]] = []
        _collect(self, "", found)
        return found

    def place(self, name: str, node: "Node") -> None:
        """Add a node, or raise Refused and add nothing where the whole tree grows out of bounds."""
        self.contents[name] = node
        try:
            _count(self.root(), 1)
        except Refused:
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
        raise Refused(f"directories nested more than {MAX_DEPTH} deep")
    count = len(directory.contents)
    for node in directory.contents.values():
        if isinstance(node, Directory):
            count += _count(node, depth + 1)
        if count > MAX_ENTRIES:
            raise Refused(f"more than {MAX_ENTRIES} files and directories")
    return count


def _collect(directory: Directory, above: str, found: list[tuple[str, Node]]) -> None:
    for name, node in directory.contents.items():
        found.append((above + name, node))
        if isinstance(node, Directory):
            _collect(node, f"{above}{name}/", found)


def read_tree(scenario: Mapping[str, object], long: LongTexts | None) -> Directory:
    """Return the root that a scenario describes: its first one, or an empty `/` without any.

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
