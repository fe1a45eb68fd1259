"""The version, kept where every room may read it."""

VERSION = "0.1.0"
