"""Tasks of a suite: the scenario of the user, the reference plan, and what a task is judged by."""

from dragoman.core.tasks import (
    Action,
    Criteria,
    CriticalField,
    EnvAssertion,
    Escalation,
    FixedTurn,
    FunctionCall,
    InitialState,
    Instructions,
    KnownFact,
    RiskProfile,
    Scenario,
    Task,
    UserAction,
)

__all__ = [
    "Action",
    "Criteria",
    "CriticalField",
    "EnvAssertion",
    "Escalation",
    "FixedTurn",
    "FunctionCall",
    "InitialState",
    "Instructions",
    "KnownFact",
    "RiskProfile",
    "Scenario",
    "Task",
    "UserAction",
]
