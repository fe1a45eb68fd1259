"""Human review of translations: out to a workbook, and back as reviewed entries of the memory."""
