"""Names of the built-in agents, users and judges, with a line about each."""

DIAGNOSTIC_AGENTS = {
    "gold": "plays the reference plan, agent and user: what is possible",
    "careful": "as literal, but confirms what it heard before it changes anything",
    "attentive": "as literal; as careful, one question at a time, where it is told that its user "
    "needs it",
    "literal": "plays the reference plan with the values it heard: what hearing loses",
    "lexical": "goes by the words alone, without a plan: a weak real baseline",
    "silent": "does nothing: the floor",
}
HUMAN = "human"
"""A person at the terminal, as agent or as user."""

USERS = {
    "offline": "plays the task's facts, or says what its instructions contain; needs no model",
    "gold": "plays the user's side of the reference plan",
}
JUDGES = {
    "none": "leaves natural-language assertions unscored",
    "rule": "decides assertions that name an amount, a number or an id to be said",
    "assume-met": "assumes every assertion met and marks every figure it touches",
}
