"""One agent against another on the same tasks, in every figure: what a training bought."""
