"""Web API tasks as data: documents, tasks, grading of calls, and calls written as text."""
