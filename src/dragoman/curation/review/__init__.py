"""Human review of translations: export to a spreadsheet, import into the memory."""
