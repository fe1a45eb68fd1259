"""Figures of what runs hold: one module for each part of a report. Nothing is drawn here."""
