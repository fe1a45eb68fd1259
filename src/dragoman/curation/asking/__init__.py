"""Chat models that help to build data: questions as JSON, answers read strictly, in batches."""
