"""Values in text: reading them in any written form, and deciding whether a text states one.

Everything is decided from the text and its language alone. No engine, no clock and no network take part.

From characters to decisions: `folding` makes encodings of one character one; `language_table` and
`lexicon` hold the words of languages; `figures`, `signs` and `tokens` cut a text into tokens; `numbers` has
the grammar of number words and `state` what all readers of a text share; `quantities`, `money`, `dates`,
`clock_times`, `units_of_measure` and `words` each read one kind of `items`; `reading` puts them together.
`targets` says what a value is, `typed` and `rows` find it, `matching` decides.
"""
