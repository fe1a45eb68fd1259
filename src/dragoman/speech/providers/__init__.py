"""Speech APIs of providers: one module for each protocol."""
