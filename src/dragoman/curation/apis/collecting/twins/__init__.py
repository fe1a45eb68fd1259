"""One API that was found more than once: in two versions, lists or languages."""
