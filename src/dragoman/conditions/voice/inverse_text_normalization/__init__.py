"""Inverse text normalization (ITN): spoken words back to written numbers, dates, ids, addresses."""
