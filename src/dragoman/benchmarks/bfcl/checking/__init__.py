"""Whether calls are those that a question expects, beside the reference's verdict."""
