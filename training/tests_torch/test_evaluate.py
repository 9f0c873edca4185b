"""Choosing tokens under the grammar, on an alphabet of single characters."""

import unittest

import torch

from holm_training.evaluate import Chooser
from holm_training.grammar import Grammar

TOOLS = [{"name": "read", "description": "", "parameters": {"type": "object", "properties": {}}}]


class Letters:
    """One token a character; the last token ends a reply."""

    words = [chr(code) for code in range(32, 127)] + ["<end>"]
    control = ["<end>"]
    end = len(words) - 1

    def encode(self, text):
        return [self.words.index(char) for char in text]

    def decode(self, ids):
        return "".join(self.words[token] for token in ids)


def choose(written, scores, decline=0.0, prior=None):
    """What is chosen after some text, given scores by character."""
    text = Letters()
    logits = torch.full((len(text.words),), -20.0)
    for char, score in scores.items():
        logits[text.end if char == "end" else text.words.index(char)] = score
    token = Chooser(text, [Grammar(TOOLS)], decline, prior and [prior])(
        0, text.encode(written), logits, logits.argmax().item()
    )
    return "end" if token == text.end else text.words[token]


class Choosing(unittest.TestCase):
    def test_the_best_token_is_taken_where_the_grammar_allows_it(self):
        self.assertEqual(choose("", {"H": 2.0, "{": 1.0}), "H")
        self.assertEqual(choose('{"tool": "', {"r": 1.0}), "r")

    def test_a_name_that_no_tool_has_cannot_be_begun(self):
        self.assertEqual(choose('{"tool": "', {"x": 5.0, "r": 1.0}), "r")

    def test_a_call_ends_when_it_is_complete_and_not_before(self):
        self.assertEqual(choose('{"tool": "read"', {"end": 5.0}), "}")
        self.assertEqual(choose('{"tool": "read"}', {"a": 5.0}), "end")

    def test_a_doubtful_refusal_becomes_a_call(self):
        self.assertEqual(choose("", {"N": 2.0, "{": 1.0}, decline=0.9), "{")
        self.assertEqual(choose("", {"N": 9.0, "{": 1.0}, decline=0.9), "N")
        self.assertEqual(choose("", {"N": 2.0, "{": 1.0}), "N")

    def test_a_prior_shifts_the_choice_between_none_and_a_call(self):
        self.assertEqual(choose("", {"N": 2.0, "{": 1.0}, prior=3.0), "{")
        self.assertEqual(choose("", {"N": 1.0, "{": 2.0}, prior=-3.0), "N")
        self.assertEqual(choose("", {"H": 3.0, "N": 2.0}, prior=3.0), "H")


if __name__ == "__main__":
    unittest.main()
