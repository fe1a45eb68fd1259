"""Public names for extensions of Dragoman, one module for each subject.

Import from `dragoman`, from the modules of this package and from `dragoman.testing`. All other
modules of Dragoman may change in any version. Only re-exports live here; no other part of Dragoman
imports them.

| to write | see |
|---|---|
| an agent or a user | `dragoman.ext.agents` |
| a backend | `dragoman.ext.backends` |
| a benchmark or a suite | `dragoman.ext.benchmarks`, `.capabilities`, `.tasks`, `.tools` |
| a dataset | `dragoman.ext.curation` |
| a leaderboard, a section of reports | `dragoman.ext.results` |
| a layer, an axis of the grid | `dragoman.ext.layers`, `.identity` |
| a measure | `dragoman.ext.measures`, `.conversations` |
| a provider of models | `dragoman.ext.models`, `.identity` |
| a rule, a check or a judge | `dragoman.ext.scoring` |
| a voice or a recognizer | `dragoman.ext.speech` |
| an error that Dragoman reports | `dragoman.ext.errors` |
"""
