"""What the file of a translation memory is."""

from dragoman.store.shared_file import FileForm

_COLUMNS = """
    key BLOB NOT NULL, source_language TEXT NOT NULL, target_language TEXT NOT NULL,
    origin TEXT NOT NULL, data BLOB NOT NULL CHECK (typeof(data) = 'blob')
"""
_SCHEMA = f"""
CREATE TABLE entries (id INTEGER PRIMARY KEY, {_COLUMNS});
CREATE UNIQUE INDEX entries_by_key ON entries (key);
CREATE TABLE replaced (id INTEGER PRIMARY KEY, {_COLUMNS});
CREATE INDEX replaced_by_key ON replaced (key);
CREATE TABLE usage (id INTEGER PRIMARY KEY, data BLOB NOT NULL CHECK (typeof(data) = 'blob'));
CREATE TABLE reviews (
    id INTEGER PRIMARY KEY, target_language TEXT NOT NULL,
    data BLOB NOT NULL CHECK (typeof(data) = 'blob')
);
"""

MEMORY_FORM = FileForm(
    "translation memory",
    _SCHEMA,
    missing="name the file that `dragoman translate` wrote",
    damaged="put a copy in its place, or move it away and import a TMX file",
)
