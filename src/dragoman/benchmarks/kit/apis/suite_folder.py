"""What a set of tasks over web APIs has in its folder: three files with one record a line."""

import msgspec

DOCUMENTS, TASKS, REPLIES = "documents.jsonl", "tasks.jsonl", "replies.jsonl"
"""Of `core.apis.documents.ApiDocument`, of `core.apis.tasks.ApiTask`, of `RecordedReply`."""


class RecordedReply(msgspec.Struct, frozen=True):
    """What an operation, by its name, returned for some arguments."""

    operation: str
    arguments: dict[str, object]
    result: str
