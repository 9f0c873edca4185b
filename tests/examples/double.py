"""A provider on this machine that speaks both of OpenAI's formats: each example's test says what it answers."""

import http.server
import json
import sys
import threading


def says(text):
    return {"text": text}


def calls(name, **arguments):
    return {"calls": [{"name": name, "arguments": json.dumps(arguments)}]}


def together(replies):
    """Several calls in one reply."""
    return {"calls": [call for reply in replies for call in reply["calls"]]}


class Double:
    """`answer` gets each request in the chat format, and returns `says` or `calls`. `requests` keeps the requests, `faults` what
    went wrong."""

    def __init__(self, answer, key):
        self.requests, self.faults = [], []
        double = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_OPTIONS(self):
                self.reply(204, "text/plain", "")

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    assert self.headers["authorization"] in (f"Bearer {key}", None), "the key is wrong"
                    encode, body = (chat, body) if self.path == "/v1/chat/completions" else (responses, as_chat(body))
                    double.requests.append(body)
                    reply = 200, *encode(body, answer(body))
                except Exception as fault:
                    double.faults.append(repr(fault))
                    reply = 400, "application/json", json.dumps({"error": {"message": repr(fault)}})
                self.reply(*reply)

            def reply(self, status, kind, text):
                data = text.encode()
                self.send_response(status)
                # Pages of any origin may ask.
                self.send_header("access-control-allow-origin", "*")
                self.send_header("access-control-allow-headers", "*, authorization")
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        # A client that was killed or has what it wanted is not a fault.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def chat(body, reply):
    """A reply in the chat format, as a stream or as one object."""
    message, finish = {"role": "assistant", "content": reply.get("text")}, "stop"
    if "calls" in reply:
        message["tool_calls"] = [
            {"index": at, "id": f"call-{at}", "type": "function", "function": call} for at, call in enumerate(reply["calls"])
        ]
        finish = "tool_calls"
    usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    head = {"id": "chatcmpl-1", "created": 0, "model": body["model"]}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return "application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
    head["object"] = "chat.completion.chunk"
    return "text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in [
        json.dumps({**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        json.dumps({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}),
        json.dumps({**head, "choices": [], "usage": usage}),
        "[DONE]",
    ])


def as_chat(body):
    """A request of the Responses format in the chat format, as far as tests look at it."""
    messages = [{"role": "system", "content": body.get("instructions") or ""}]
    for item in body["input"]:
        if item.get("type") == "function_call_output":
            messages.append({"role": "tool", "content": item["output"]})
        elif "role" in item:
            messages.append({"role": item["role"], "content": item["content"]})
    return {**body, "messages": messages}


def responses(body, reply):
    """A reply in the Responses format, as a stream."""
    assert body["stream"], "only streams are answered"
    content = [{"type": "output_text", "text": reply.get("text"), "annotations": []}]
    items = [{"type": "message", "id": "msg-0", "role": "assistant", "status": "completed", "content": content}]
    if "calls" in reply:
        items = [
            {"type": "function_call", "id": f"fc-{at}", "call_id": f"call-{at}", "status": "completed", **call}
            for at, call in enumerate(reply["calls"])
        ]
    usage = {"input_tokens": 1000, "output_tokens": 200, "total_tokens": 1200}
    head = {"id": "resp-1", "object": "response", "model": body["model"]}
    events = [{"type": "response.created", "response": {**head, "status": "in_progress", "output": []}}]
    for at, item in enumerate(items):
        of = {"output_index": at, "item_id": item["id"]}
        if "content" in item:
            empty, delta = {**item, "content": []}, {"type": "response.output_text.delta", "content_index": 0, "delta": reply["text"]}
        else:
            empty, delta = {**item, "arguments": ""}, {"type": "response.function_call_arguments.delta", "delta": item["arguments"]}
        events += [
            {"type": "response.output_item.added", "output_index": at, "item": empty},
            {**delta, **of},
            {"type": "response.output_item.done", "output_index": at, "item": item},
        ]
    completed = {**head, "status": "completed", "output": items, "usage": usage}
    events.append({"type": "response.completed", "response": completed})
    return "text/event-stream", "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
