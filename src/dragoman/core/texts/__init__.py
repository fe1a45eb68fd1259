"""Text as it is carried, decoded, shown and compared."""
