"""A provider on this machine, in OpenAI's chat format, that follows the script in the prompt.

A prompt that begins with `script:` is a JSON list of replies, one for each call of the model since that prompt:

    {"say": "Hello"}                       a text
    {"call": "read", "with": {...}}        a call of a tool
    {"calls": [["read", {...}], ...]}      several calls at once
    {"results": "…"}                       a text, then the results of the tools since the prompt
    {"prompts": true}                      the texts of all prompts, as JSON
    {"fail": 400}                          an error with this status

`"until": "FILE"` in a reply delays it until the file exists, and `"slowly": true` sends its text in pieces. The script is in the
prompt, so a server that was killed and started again gets the reply that the old one would have got.

Run by itself, it prints its address and serves until standard input ends: `python3 double.py`.
"""

import http.server
import json
import os
import re
import sys
import threading
import time

# A test that waits longer than this has failed for another reason.
PATIENCE_S = 60.0


def text_of(message):
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def reply_to(messages):
    """The next reply of the script, and the results of tools since the prompt that has it."""
    prompts = [at for at, message in enumerate(messages) if message["role"] == "user" and "script:" in text_of(message)]
    at = prompts[-1]
    text = text_of(messages[at])
    script, _ = json.JSONDecoder().raw_decode(text[text.index("script:") + len("script:") :].lstrip())
    after = messages[at + 1 :]
    said = sum(message["role"] == "assistant" for message in after)
    if said >= len(script):
        return {"fail": 400, "why": "the script is over"}, []
    return script[said], [text_of(message) for message in after if message["role"] == "tool"]


def wait_until(path):
    began = time.monotonic()
    while not os.path.exists(path):
        if time.monotonic() - began > PATIENCE_S:
            raise TimeoutError(f"{path} did not appear")
        time.sleep(0.02)


def calls_of(reply):
    if "calls" in reply:
        return reply["calls"]
    return [[reply["call"], reply.get("with", {})]] if "call" in reply else []


def said_in(reply, results, messages):
    if "results" in reply:
        return reply["results"] + " | ".join(results)
    if reply.get("prompts"):
        return json.dumps([text_of(message) for message in messages if message["role"] == "user"])
    return reply.get("say", "")


def chunks(reply, results, messages, number):
    """The reply as chunks of a stream."""
    text = said_in(reply, results, messages)
    pieces = re.findall(r"\S+\s*", text) if reply.get("slowly") else [text]
    for piece in [piece for piece in pieces if piece]:
        yield {"content": piece}
    for at, (name, arguments) in enumerate(calls_of(reply)):
        function = {"name": name, "arguments": json.dumps(arguments)}
        yield {"tool_calls": [{"index": at, "id": f"call_{number}_{at}", "type": "function", "function": function}]}


class Double:
    """`requests` has every request body."""

    def __init__(self):
        self.requests = []
        double = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                double.requests.append(body)
                number = len(double.requests)
                reply, results = reply_to(body["messages"])
                if "until" in reply:
                    wait_until(reply["until"])
                if "fail" in reply:
                    return self.whole(reply["fail"], {"error": {"message": reply.get("why", "the double fails"), "type": "x"}})
                self.stream(body, reply, results, number)

            def stream(self, body, reply, results, number):
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
                for delta in chunks(reply, results, body["messages"], number):
                    self.chunk(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                    if reply.get("slowly"):
                        time.sleep(0.02)
                reason = "tool_calls" if calls_of(reply) else "stop"
                usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
                self.chunk(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage})
                self.send(b"data: [DONE]\n\n")
                self.send(b"")

            def chunk(self, value):
                self.send(f"data: {json.dumps(value)}\n\n".encode())

            def send(self, data):
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

            def whole(self, status, value):
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                # A server that is killed closes its connections.
                if not isinstance(sys.exc_info()[1], ConnectionError):
                    super().handle_error(request, address)

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    double = Double()
    print(double.url, flush=True)
    sys.stdin.read()
    double.close()
