"""Uses agents of `holm serve` from Python, with OpenAI's own package: an agent is a model there."""

import os
from pathlib import Path

import openai
import pydantic

SERVER = os.environ.get("HOLM_URL", "http://127.0.0.1:7417")
TOKEN = os.environ.get("HOLM_TOKEN") or Path("~/.local/share/holm/server/token").expanduser().read_text().strip()


class Todo(pydantic.BaseModel):
    task: str
    due: str


class Todos(pydantic.BaseModel):
    todos: list[Todo]


def main():
    client = openai.OpenAI(base_url=f"{SERVER}/v1", api_key=TOKEN)

    # As a stream. The session has a name, so the next request continues it.
    notes = client.with_options(default_headers={"x-holm-session": "notes"})
    ask = [{"role": "user", "content": "What is in notes.txt?"}]
    for chunk in notes.chat.completions.create(model="holm", messages=ask, stream=True):
        for choice in chunk.choices:
            print(choice.delta.content or "", end="", flush=True)
    print()

    # As a value. The server checks it against the schema, and asks the model again if it does not match.
    ask = [{"role": "user", "content": "Which tasks are in it?"}]
    reply = notes.chat.completions.parse(model="holm", messages=ask, response_format=Todos)
    for todo in reply.choices[0].message.parsed.todos:
        print(f"{todo.due}: {todo.task}")


main()
