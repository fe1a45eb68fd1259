"""What tasks that call APIs are labelled with: figures are taken apart by it, measures read it."""

LANGUAGE = "language"
"""Of the query, as a BCP 47 tag."""

COUNTRY = "country"
CATEGORY = "category"
"""Of the API that the first gold call reaches."""

KIND = "kind of call"
"""`core.apis.tasks.CallKind`."""

AXES = (LANGUAGE, COUNTRY, CATEGORY, KIND)
"""What figures are taken apart by."""

NO_TOOLS = "tools unjudged"
"""Why it cannot be said which tools are right; such a task is not judged at all."""

NO_ARGUMENTS = "arguments unjudged"
"""Why it cannot be said which arguments are right; tools can still be judged."""
