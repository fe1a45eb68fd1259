"""An agent written with LangGraph: the graph runs up to its model's reply, Dragoman runs the tools."""

import json
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph


class State(MessagesState):
    """The conversation, and the tools that it offers."""

    tools: list[dict[str, Any]]


def make_agent(model: BaseChatModel):
    """Return an agent for Dragoman; `think` stands for whatever your graph does before its tools."""

    async def think(state: State):
        bound = model.bind_tools(state["tools"]) if state["tools"] else model
        return {"messages": [await bound.ainvoke(state["messages"])]}

    graph = StateGraph(State)
    graph.add_node("think", think)
    graph.add_edge(START, "think")
    graph.add_edge("think", END)
    compiled = graph.compile()

    async def agent(messages, tools):
        state = await compiled.ainvoke({"messages": [heard(m) for m in messages], "tools": tools})
        return answer(state["messages"][-1])

    return agent


def heard(message: dict[str, Any]) -> BaseMessage:
    """Return a message as LangChain has it; arguments that are no object are kept as invalid."""
    if message["role"] != "assistant":
        return convert_to_messages([message])[0]
    calls, invalid = [], []
    for call in message.get("tool_calls") or ():
        name, text = call["function"]["name"], call["function"]["arguments"]
        try:
            arguments = json.loads(text)
        except ValueError:
            arguments = None
        if isinstance(arguments, dict):
            calls.append({"id": call["id"], "name": name, "args": arguments})
        else:
            invalid.append({"id": call["id"], "name": name, "args": text, "error": None})
    content = message.get("content") or ""
    return AIMessage(content, tool_calls=calls, invalid_tool_calls=invalid)


def answer(reply: AIMessage) -> dict[str, Any]:
    """Return the model's reply as Dragoman reads it, malformed calls and all."""
    calls = [*reply.tool_calls, *reply.invalid_tool_calls]
    usage = reply.usage_metadata
    return {
        "content": reply.text,
        "tool_calls": [
            {"id": call["id"], "name": call["name"] or "", "arguments": call["args"] or {}}
            for call in calls
        ],
        "usage": usage and {key: usage[key] for key in ("input_tokens", "output_tokens")},
    }


class StandIn(BaseChatModel):
    """Answers in the place of a model, so that the example runs without a key."""

    tools: list[dict[str, Any]] = []

    @property
    def _llm_type(self):
        return "stand-in"

    def bind_tools(self, tools, **options):
        return StandIn(tools=tools)

    def _generate(self, messages, stop=None, run_manager=None, **options):
        message = AIMessage("I am afraid I cannot help you with that.")
        words = str(messages[-1].content).split()
        emails = [word.strip(".,") for word in words if "@" in word]
        if messages[-1].type == "human" and emails:
            call = {"id": f"call_{len(messages)}", "name": "find_user_id_by_email"}
            message = AIMessage("", tool_calls=[{**call, "args": {"email": emails[0]}}])
        return ChatResult(generations=[ChatGeneration(message=message)])


agent = make_agent(StandIn())  # for example make_agent(ChatOpenAI(model="gpt-4.1-mini"))
