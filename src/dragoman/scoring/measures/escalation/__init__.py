"""Hand-overs to a person: the duties of a suite, and whether they were followed."""
