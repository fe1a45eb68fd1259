"""An agent written with the OpenAI Agents SDK: the SDK runs one turn, Dragoman runs the tools."""

from agents import (
    Agent,
    FunctionTool,
    MaxTurnsExceeded,
    Model,
    ModelBehaviorError,
    ModelResponse,
    RunConfig,
    RunHooks,
    Runner,
)
from agents.testing import assistant_message, function_call
from agents.usage import Usage


def make_agent(model: str | Model):
    """Return an agent for Dragoman; add your guardrails and settings to the `Agent`."""

    async def agent(messages, tools):
        system = [message["content"] for message in messages if message["role"] == "system"]
        asked = Agent(
            name="agent",
            instructions="\n\n".join(system),
            tools=[handed_back(tool["function"]) for tool in tools],
            tool_use_behavior="stop_on_first_tool",  # after one turn, with all its calls
            model=model,
        )
        items = [item for message in messages for item in heard(message)]
        return answer(await first_turn(asked, items))

    return agent


class Kept(RunHooks):
    """Keeps what the model replied, also where the SDK refuses it: that is Dragoman's to do."""

    response: ModelResponse | None = None

    async def on_llm_end(self, context, agent, response):
        self.response = response


async def first_turn(asked: Agent, items: list) -> ModelResponse:
    kept = Kept()
    quiet = RunConfig(tracing_disabled=True)
    try:
        await Runner.run(asked, items, max_turns=1, hooks=kept, run_config=quiet)
    except (MaxTurnsExceeded, ModelBehaviorError):  # no words, or a tool that is not there
        if kept.response is None:
            raise
    return kept.response


def handed_back(function: dict) -> FunctionTool:
    """Return a tool that the model sees and Dragoman executes."""

    async def leave_it(context, arguments):
        return ""

    return FunctionTool(
        name=function["name"],
        description=function["description"],
        params_json_schema=function["parameters"],
        on_invoke_tool=leave_it,
        strict_json_schema=False,
    )


def heard(message: dict) -> list[dict]:
    """Return a message as items of the SDK; the system's are the agent's instructions."""
    if message["role"] == "system":
        return []
    if message["role"] == "tool":
        call_id, output = message["tool_call_id"], message["content"]
        return [{"type": "function_call_output", "call_id": call_id, "output": output}]
    said = [{"role": message["role"], "content": message["content"]}] if message["content"] else []
    calls = message.get("tool_calls") or ()
    return said + [
        {"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls
    ]


def answer(response: ModelResponse) -> dict:
    """Return the model's reply as Dragoman reads it."""
    words = [
        part.text
        for item in response.output
        if item.type == "message"
        for part in item.content
        if part.type == "output_text"
    ]
    calls = [item for item in response.output if item.type == "function_call"]
    usage = response.usage
    return {
        "content": "".join(words) or None,
        "tool_calls": [
            {"id": call.call_id, "name": call.name, "arguments": call.arguments} for call in calls
        ],
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
    }


class StandIn(Model):
    """Answers in the place of a model, so that the example runs without a key."""

    async def get_response(self, system_instructions, input, *rest, **options):
        item = assistant_message("I am afraid I cannot help you with that.")
        last = input[-1]
        emails = [word.strip(".,") for word in last.get("content", "").split() if "@" in word]
        if last.get("role") == "user" and emails:
            arguments = {"email": emails[0]}
            item = function_call("find_user_id_by_email", arguments, call_id=f"call_{len(input)}")
        return ModelResponse([item], Usage(input_tokens=10 * len(input), output_tokens=9), None)

    def stream_response(self, *rest, **options):
        raise NotImplementedError


agent = make_agent(StandIn())  # for example make_agent("gpt-4.1-mini"), with OPENAI_API_KEY set
