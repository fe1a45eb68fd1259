"""Localization of question tasks (BFCL), each of which has functions of its own."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.field_trees import (
    FieldTree,
    map_strings,
    to_labels,
    tree_from_places,
)
from dragoman.conditions.language.value_sets import ValueSet, build_value_set, fold_spelling
from dragoman.conditions.language.view_checks import LabelCall, label_call
from dragoman.core.conditions import Surface
from dragoman.core.language.localized_values import LocalizedValues
from dragoman.core.language.question_texts import Labels, TranslatedQuestions, TranslatedTask
from dragoman.core.layers import Layer
from dragoman.core.tasks import Action, InitialState, Task
from dragoman.core.tools import ToolCall, ToolResult, Toolset

Arguments = dict[str, object]


class QuestionView:
    """The functions of one question as they are shown and called."""

    def __init__(self, tools: Toolset, labels: Mapping[str, Labels]) -> None:
        """Prepare reading labels.

        Args:
            tools: All functions of the question in the language.
            labels: The labels of their values.

        Raises:
            DataError: For the same reasons as in `label_trees`.
        """
        self._tools = tools.by_name
        self._trees = label_trees(labels)

    def show(self, tools: Toolset) -> Toolset:
        """Return the tools in the language."""
        shown = tuple(self._tools.get(tool.name, tool) for tool in tools)
        return Toolset(shown, must_call=tools.must_call)

    def canonical(self, call: ToolCall) -> ToolCall:
        """Return a call with values in the place of their labels; other texts stay as written."""
        tree = self._trees.get(call.name)
        if not tree:
            return call
        arguments, positionals = _read(call.arguments, tree), self._positionals(call, tree)
        if (arguments, positionals) == (call.arguments, call.positionals):
            return call
        return msgspec.structs.replace(call, arguments=arguments, positionals=positionals)

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:  # noqa: ARG002
        """Return the result as it is: what functions answer is not translated."""
        return result

    def worded(self, action: Action) -> Action:
        """Return an action of the reference plan with the labels that are shown."""
        tree = self._trees.get(action.name)
        if not tree:
            return action
        arguments = {
            name: to_labels(value, tree.fields[name]) if name in tree.fields else value
            for name, value in action.arguments.items()
        }
        return msgspec.structs.replace(action, arguments=arguments)

    def _positionals(self, call: ToolCall, tree: FieldTree) -> tuple[object, ...]:
        """Return arguments without a name, which are those of the signature in its order."""
        tool = self._tools.get(call.name)
        properties = None if tool is None else tool.parameters.get("properties")
        if not call.positionals or not isinstance(properties, Mapping):
            return call.positionals
        names = [*properties][: len(call.positionals)]
        read = _read(dict(zip(names, call.positionals, strict=False)), tree)
        return (*read.values(), *call.positionals[len(names) :])


def label_trees(labels: Mapping[str, Labels]) -> dict[str, FieldTree]:
    """Return the places of labels for values, by tool.

    Values without labels stand for themselves.

    Raises:
        DataError: If two values of one argument share a spelling.
    """
    return {
        tool: tree_from_places(
            {
                path: build_value_set(f"{tool}.{'.'.join(path)}", each)
                for path, each in by_path.items()
                if any(value != label for value, label in each.items())
            }
        )
        for tool, by_path in labels.items()
    }


class LocalizedQuestions(NamedTuple):
    """The questions of a suite in one condition.

    Attributes:
        questions: The questions in the language.
        surfaces: The surfaces that are played in the language.
    """

    questions: TranslatedQuestions
    surfaces: tuple[Surface, ...]

    def view(self, task: Task) -> QuestionView | None:
        """Return the view of a question's functions; None if they are English."""
        if "tools" not in self.surfaces:
            return None
        translated = self.questions.task(task.id)
        return QuestionView(translated.tools, self.questions.labels(task.id))

    def label_calls(self, task: Task) -> Iterator[LabelCall]:
        """Yield a call for each label in a question's functions; none if these are English."""
        if "tools" in self.surfaces:
            for tool in self.questions.task(task.id).tools:
                for path, labels in self.questions.labels(task.id).get(tool.name, {}).items():
                    for value, label in labels.items():
                        if label != value:
                            yield label_call(tool.name, path, value, label)

    def layer(self, task: Task, whole: Layer) -> Layer:
        """Return what the language changes of one task, in the place of what it changes of all."""
        translated = self.questions.task(task.id) if "tasks" in self.surfaces else None
        view = self.view(task)
        return msgspec.structs.replace(
            whole,
            of_task=None,
            task=None
            if translated is None
            else lambda each: _translate_user_text(each, translated),
            policy=None if translated is None else _constant(translated.policy),
            view=None if view is None else lambda side, seen: view if side == "agent" else seen,
            plan=None if view is None else lambda each: _translate_actions(each, view),
            wording=whole.wording if view is None else _meaning(whole, view),
        )


def _meaning(
    whole: Layer, view: "QuestionView"
) -> Callable[[Task, LocalizedValues], LocalizedValues]:
    def wording(task: Task, before: LocalizedValues) -> LocalizedValues:
        own = before if whole.wording is None else whole.wording(task, before)
        return msgspec.structs.replace(own, meant=view.canonical)

    return wording


def _constant(text: str) -> Callable[[str], str]:
    return lambda _: text


def _translate_user_text(task: Task, translated: TranslatedTask) -> Task:
    """Return a task as its user and its history have it in the language."""
    state = task.initial_state or InitialState()
    history = msgspec.structs.replace(state, history=translated.history)
    return msgspec.structs.replace(
        task,
        turns=translated.turns,
        initial_state=history if translated.history else task.initial_state,
    )


def _translate_actions(task: Task, view: QuestionView) -> Task:
    if task.criteria is None or not task.criteria.actions:
        return task
    actions = tuple(map(view.worded, task.criteria.actions))
    criteria = msgspec.structs.replace(task.criteria, actions=actions)
    return msgspec.structs.replace(task, criteria=criteria)


def _read(arguments: Arguments, tree: FieldTree) -> Arguments:
    return {
        name: map_strings(value, tree.fields[name], _canonical_label_value)
        if name in tree.fields
        else value
        for name, value in arguments.items()
    }


def _canonical_label_value(values: ValueSet, text: str) -> str:
    """Return the value of a label; the suite judges values in other spellings."""
    value = values.canon(text)
    if value is None:
        return text
    is_label = unicodedata.normalize("NFC", text) == unicodedata.normalize(
        "NFC", values.label(value)
    )
    return value if is_label or fold_spelling(value) != fold_spelling(text) else text
