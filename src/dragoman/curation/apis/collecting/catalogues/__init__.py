"""Lists of APIs: a name, a link and what is said of it, as Markdown or JSON."""
