"""An agent behind HTTP, in any language: POST a conversation, get the next reply.

Run it with `python http_server.py`; it prints its address.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def reply(request):
    if request["metadata"]["must_call"]:
        return {"tool_calls": [{"name": request["tools"][0]["function"]["name"], "arguments": {}}]}
    return {
        "content": "I am afraid I cannot help you with that.",
        "usage": {"input_tokens": 10 * len(request["messages"]), "output_tokens": 10},
    }


class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(reply(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *parts):
        """Keep quiet."""


class Server(ThreadingHTTPServer):
    request_queue_size = 1024  # as many conversations may begin at once


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Agent)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
