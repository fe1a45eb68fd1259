"""Human annotation of queries: assignment, sheets, labels and adjudication."""
