"""Downloads of pinned benchmark data: fetched once, and checked by hash at every use."""
