"""`python -m dragoman` is the command line."""

from dragoman.cli.main import main

main()
