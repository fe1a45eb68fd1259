"""An async agent: conversations share one event loop, so it waits without holding others up."""

import asyncio


async def agent(messages, tools):
    answer = await ask_a_model(messages, tools)
    return {
        "content": answer["text"],
        "tool_calls": answer["calls"],
        "usage": {"input_tokens": answer["tokens_in"], "output_tokens": answer["tokens_out"]},
    }


async def ask_a_model(messages, tools):
    """Stands in for the client of a model."""
    await asyncio.sleep(0)
    return {
        "text": f"I have {len(tools)} tools and cannot help you with any.",
        "calls": [],
        "tokens_in": 10 * len(messages),
        "tokens_out": 9,
    }
