"""A cheap stand-in for Holm's grammar: which replies may still become a valid call, and what must come next."""

import json
import re

STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
OPEN_STRING = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z'
)
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,9})?")
OPENING = '{"tool": "'


class Grammar:
    """The replies that a catalogue allows: words, or one call with its arguments in the order of their names."""

    def __init__(self, tools):
        self.tools = {tool["name"]: tool["parameters"] for tool in tools}

    def state(self, text):
        """`free`, `open` (inside a value), `full`, `dead`, or the list of literal texts of which one must come."""
        if text and not text.startswith("{"):
            return "free"
        if len(text) < len(OPENING):
            return (
                [OPENING[len(text) :]]
                if OPENING.startswith(text) and text
                else ("free" if not text else "dead")
            )
        if not text.startswith(OPENING):
            return "dead"
        rest = text[len(OPENING) :]
        name, closed, rest = rest.partition('"')
        if not closed:
            return [full[len(name) :] + '"' for full in self.tools if full.startswith(name)] or "dead"
        if name not in self.tools:
            return "dead"
        return self._members(self.tools[name], rest)

    def _members(self, schema, rest):
        keys = sorted(schema.get("properties", {}))
        required = set(schema.get("required", ()))
        while True:
            heads = self._heads(keys, required)
            if not rest or any(head.startswith(rest) and head != rest for head in heads):
                return [head[len(rest) :] for head in heads if head.startswith(rest)]
            if rest == "}" and "}" in heads:
                return "full"
            head = next((head for head in heads if head != "}" and rest.startswith(head)), None)
            if head is None:
                return "dead"
            key = json.loads(head[2:-2])
            keys = keys[keys.index(key) + 1 :]
            found = self._value(
                schema["properties"][key], rest[len(head) :], "}" in self._heads(keys, required)
            )
            if not isinstance(found, int):
                return found
            rest = rest[len(head) + found :]

    @staticmethod
    def _heads(keys, required):
        """What may follow a value: a later key without leaving out a required one, or the end."""
        out = []
        for key in keys:
            out.append(f", {json.dumps(key)}: ")
            if key in required:
                return out
        return out + ["}"]

    @staticmethod
    def _value(schema, rest, may_end):
        """How long the value is, or the state while it is unfinished."""
        if "enum" in schema or schema.get("type") == "boolean":
            choices = [json.dumps(value, ensure_ascii=False) for value in schema.get("enum", ())] or [
                "true",
                "false",
            ]
            done = [choice for choice in choices if rest.startswith(choice)]
            if done:
                return len(max(done, key=len))
            return [choice[len(rest) :] for choice in choices if choice.startswith(rest)] or "dead"
        if schema.get("type") in ("integer", "number"):
            found = (INTEGER if schema["type"] == "integer" else NUMBER).match(rest)
            if found and (len(found[0]) < len(rest)) and rest[found.end()] in ",}":
                return found.end()
            partial = r"-?[0-9]{0,15}" if schema["type"] == "integer" else r"-?[0-9]{0,15}(\.[0-9]{0,9})?"
            return "open" if re.fullmatch(partial, rest) else "dead"
        if not rest:
            return ['"']
        found = STRING.match(rest)
        if found:
            return found.end()
        return "open" if OPEN_STRING.match(rest) else "dead"

    def accepts(self, text):
        """Whether a reply may go on from here or end here."""
        return self.state(text) != "dead"
