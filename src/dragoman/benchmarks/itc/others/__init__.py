"""Sets of function calls of other projects, each read by one function into the form of a suite."""
