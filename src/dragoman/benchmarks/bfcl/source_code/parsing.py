"""The grammar that a language's text is read by."""

from dragoman.benchmarks.bfcl.source_code.grammar import Grammar
from dragoman.benchmarks.bfcl.source_code.java_grammar import JavaGrammar
from dragoman.benchmarks.bfcl.source_code.javascript_grammar import JavaScriptGrammar
from dragoman.benchmarks.bfcl.source_code.tokens import SourceCode


def grammar_of(source: SourceCode) -> Grammar:
    """Return the grammar of a text's language, at the text's first token."""
    return JavaGrammar(source) if source.language == "java" else JavaScriptGrammar(source)
