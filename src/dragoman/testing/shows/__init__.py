"""Answers that models give for show where data are made: sound ones, and mistakes by shares."""
