"""A chat bot that asks before it acts: each write of the agent is shown to the person first, and runs only after a yes.

The terminal stands for your chat service: replace `receive` and `send`, and keep one session for each conversation.
Needs Python 3.9 or newer, and nothing else.
"""

import json
import os
import urllib.request
from pathlib import Path

SERVER = os.environ.get("HOLM_URL", "http://127.0.0.1:7417")
TOKEN = os.environ.get("HOLM_TOKEN") or Path("~/.local/share/holm/server/token").expanduser().read_text().strip()


def receive(prompt):
    return input(prompt)


def send(text):
    print(f"bot: {text}", flush=True)


def call(method, path, body=None):
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(SERVER + path, data, headers, method=method))


def frames(session, after):
    """The frames of a session that follow a position, as (kind, data, position)."""
    frame = {}
    with call("GET", f"/api/sessions/{session}/events?after={after}") as stream:
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                frame[name] = value
                continue
            # An empty line ends a frame. One without data keeps the connection alive.
            if "data" in frame:
                yield frame["event"], json.loads(frame["data"]), frame["id"]
            frame = {}


def approve(session, posed):
    """Shows a call to the person, and sends the answer. The digest makes sure that it is this call that runs."""
    question = posed["question"]["approval"]
    send(f"May I call {question['tool']} with {question['arguments']}? It needs {', '.join(question['needs'])}.")
    yes = receive("yes or no: ").strip().lower() in ("y", "yes")
    answer = "once" if yes else {"no": {"reason": "The person said no."}}
    body = {"question": posed["id"], "answer": answer, "digest": question["digest"]}
    call("POST", f"/api/sessions/{session}/questions", body).close()


def watch(session, after):
    """Watches until the agent is done. Returns the position, for the next time."""
    asked = set()
    for kind, data, position in frames(session, after):
        # A question that is asked just as the bot connects comes twice, with the same id.
        if kind == "question" and "approval" in data["question"] and data["id"] not in asked:
            asked.add(data["id"])
            approve(session, data)
        if kind != "event":
            continue
        after, event = position, data["event"]
        # Some events are only a name.
        if isinstance(event, dict) and (ended := event.get("group_ended")):
            send(ended["ending"].get("answered", {}).get("text") or f"I could not finish: {ended['ending']}")
            return after
    raise SystemExit("the server closed the connection")


def main():
    session, after = None, "-"
    while True:
        try:
            text = receive("you: ")
        except EOFError:
            return
        if session is None:
            with call("POST", "/api/sessions", {"prompt": text}) as reply:
                session = json.load(reply)["id"]
        else:
            call("POST", f"/api/sessions/{session}/prompt", {"text": text}).close()
        after = watch(session, after)


main()
