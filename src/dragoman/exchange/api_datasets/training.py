"""A task as a row for training that says what it came from."""

from dragoman.core.training.rows import RowOrigin, TrainingRow
from dragoman.curation.apis.rows import DatasetRow
from dragoman.exchange.api_datasets.chats import chat_of


def training_row_of(row: DatasetRow) -> TrainingRow:
    """Return a task as a row; its APIs are those that its answer calls."""
    task, chat = row.task, chat_of(row)
    called = [row.tools[call.tool] for call in row.solution.calls if call.tool in row.tools]
    documents = {each.document.id: each.document for each in called}
    licences = {
        origin.licence for each in documents.values() for origin in each.origins if origin.licence
    }
    return TrainingRow(
        task.id,
        chat.messages,
        chat.tools,
        RowOrigin(
            row.source,
            task.id,
            tuple(dict.fromkeys(each.id for each in called)),
            task.language,
            ", ".join(sorted(licences)),
            row.solution.by,
        ),
    )
