"""An agent is a function: it gets the conversation and the tools, and returns the next reply."""


def agent(messages, tools):
    asked = [message["content"] for message in messages if message["role"] == "user"]
    results = [message for message in messages if message["role"] == "tool"]
    emails = [word.strip(".,") for text in asked for word in text.split() if "@" in word]
    if emails and not results and "find_user_id_by_email" in names(tools):
        return {
            "content": "Let me look you up.",
            "tool_calls": [{"name": "find_user_id_by_email", "arguments": {"email": emails[0]}}],
        }
    return "I am afraid I cannot help you with that."


def names(tools):
    return {tool["function"]["name"] for tool in tools}
