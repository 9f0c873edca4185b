"""Sums the numbers in a text: a tool in Python, of the world `holm:tool`.

One text comes in, the JSON that the model sent, and one goes out. Build it with build.sh and drop the file into a tool folder.
"""

import json
import re

import wit_world.exports
from componentize_py_types import Err

ABOUT = {
    "name": "total",
    "description": "Sums the numbers in a text",
    "schema": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "Where to look for numbers"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    "keywords": ["sum", "numbers"],
    "level": "none",
}


class Call(wit_world.exports.Call):
    def run(self, input: str) -> str:
        try:
            text = json.loads(input)["text"]
        except (ValueError, KeyError, TypeError):
            raise Err("the argument text is missing")
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]
        return f"{sum(numbers):g}"


class Description(wit_world.exports.Description):
    def describe(self) -> str:
        return json.dumps(ABOUT)
