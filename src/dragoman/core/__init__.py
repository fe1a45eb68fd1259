"""Records and protocols that every room shares: no I/O, no clock, no network."""
