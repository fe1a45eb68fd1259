"""What the command line prints of judges."""
