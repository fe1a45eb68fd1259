"""How commands show that they are at work: a bar, lines now and then, or nothing."""
