"""What went wrong in conversations: errors that a judge named, and failure modes of calls."""
