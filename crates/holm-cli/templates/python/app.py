"""A tool for Holm: a component of the world holm:tool. It takes JSON and gives text."""

import json

from componentize_py_types import Err
from wit_world import exports


class Description(exports.Description):
    def describe(self) -> str:
        return json.dumps({
            "name": "NAME",
            "description": "Greets somebody.",
            "keywords": ["greeting", "hello"],
            "schema": {
                "type": "object",
                "properties": {
                    "who": {"type": "string", "description": "Who is greeted"},
                    "loud": {"type": "boolean", "description": "With an exclamation mark"},
                },
                "required": ["who"],
                "additionalProperties": False,
            },
        })


class Call(exports.Call):
    def run(self, input: str) -> str:
        arguments = json.loads(input)
        if not arguments["who"].strip():
            # An Err makes the call fail with that text.
            raise Err("say who is greeted")
        return f"Hello, {arguments['who']}{'!' if arguments.get('loud') else '.'}"
