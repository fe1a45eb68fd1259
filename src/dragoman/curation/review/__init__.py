"""Human review of translations: out to a spreadsheet and back into the translation memory."""
