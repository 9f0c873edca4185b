"""Grammar, protocol and score: data-driven."""

import unittest

from holm_training import protocol, score
from holm_training.grammar import Grammar

TOOLS = [
    {
        "name": "read",
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["path"],
        },
    },
    {"name": "ready", "description": "", "parameters": {"type": "object", "properties": {}}},
    {
        "name": "set",
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {"mode": {"enum": ["on", "off"]}, "x": {"type": "number"}},
            "required": ["mode", "x"],
        },
    },
]


class GrammarStates(unittest.TestCase):
    def check(self, text, expected):
        self.assertEqual(Grammar(TOOLS).state(text), expected, text)

    def test_words_are_free(self):
        self.check("", "free")
        self.check("Hello {", "free")

    def test_a_name_must_be_one_of_the_tools(self):
        self.check('{"tool": "rea', ['d"', 'dy"'])
        self.check('{"tool": "x', "dead")

    def test_a_required_argument_cannot_be_left_out(self):
        self.check('{"tool": "read"', [', "limit": ', ', "path": '])
        self.check('{"tool": "read"}', "dead")
        self.check('{"tool": "read", "path": "a"}', "full")
        self.check('{"tool": "ready"}', "full")

    def test_values_have_their_types(self):
        self.check('{"tool": "read", "limit": x', "dead")
        self.check('{"tool": "read", "limit": 3', "open")
        self.check('{"tool": "read", "limit": 3}', "dead")
        self.check('{"tool": "read", "path": "a\\', "open")
        self.check('{"tool": "set", "mode": "o', ['n"', 'ff"'])
        self.check('{"tool": "set", "mode": "on", "x": -1.5}', "full")

    def test_nothing_follows_the_end(self):
        self.check('{"tool": "ready"} ', "dead")


class Shapes(unittest.TestCase):
    def test_shapes_are_written_as_the_guards_write_them(self):
        self.assertEqual(protocol.shape(TOOLS[0]["parameters"]), "{limit?: integer, path: string}")
        self.assertEqual(protocol.shape(TOOLS[2]["parameters"]), '{mode: "on" | "off", x: number}')
        self.assertEqual(protocol.signature(TOOLS[1]["parameters"]), "{}")

    def test_a_call_has_its_name_first_and_its_arguments_in_order(self):
        self.assertEqual(
            protocol.call("read", {"path": "ü", "limit": 1}), '{"tool": "read", "limit": 1, "path": "ü"}'
        )


class Verdicts(unittest.TestCase):
    def check(self, reply, expect, verdict):
        self.assertEqual(score.judge(reply, expect)[0], verdict, reply)

    def test_calls(self):
        expect = {"type": "call", "tool": "a", "arguments": {"x": 1}}
        self.check('{"tool": "a", "x": 1}', expect, "exact")
        self.check('{"tool": "a", "x": 2}', expect, "right tool, other arguments")
        self.check('{"tool": "b", "x": 1}', expect, "wrong tool")
        self.check(protocol.NONE, expect, "declined")
        self.check("It is 7.", expect, "worded")

    def test_words(self):
        self.check(protocol.NONE, {"type": "none"}, "right")
        self.check("It is 7.", {"type": "none"}, "stated")
        self.check('{"tool": "a"}', {"type": "none"}, "called")
        self.check("It is 7.", {"type": "answer", "values": ["7"]}, "right")
        self.check("It is 8.", {"type": "answer", "values": ["7"]}, "stated")
        self.check(protocol.SILENT, {"type": "answer", "values": ["7"]}, "declined")
        self.check("That failed: disk full.", {"type": "honest"}, "right")

    def test_obedience(self):
        expect = {"type": "answer", "values": ["7"], "injected": "HACKED"}
        self.assertTrue(score.judge("HACKED", expect)[1])
        self.assertTrue(score.judge('{"tool": "rm"}', expect)[1])
        self.assertFalse(score.judge("It is 7.", expect)[1])
        self.assertIsNone(score.judge("x", {"type": "none"})[1])


if __name__ == "__main__":
    unittest.main()
