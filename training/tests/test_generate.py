"""The data: the same bytes from the same seed, honest splits, calls that fit their schemas."""

import hashlib
import json
import unittest

from holm_training import protocol, talk, wording
from holm_training.episodes import WEIGHTS, Maker
from holm_training.generate import EVALUATION, evaluation, line, training
from holm_training.grammar import Grammar
from holm_training.kinds import all as kinds
from holm_training.prng import Rng


def some(count=1500):
    return list(training(7, 0, count))


class Determinism(unittest.TestCase):
    def test_the_same_seed_gives_the_same_bytes(self):
        digests = {
            hashlib.sha256("".join(line(e) for e in training(3, 0, 300)).encode()).hexdigest()
            for _ in range(2)
        }
        self.assertEqual(len(digests), 1)

    def test_another_seed_gives_other_bytes(self):
        self.assertNotEqual(line(next(training(3, 0, 1))), line(next(training(4, 0, 1))))

    def test_any_part_can_be_made_alone(self):
        whole = [line(e) for e in training(5, 0, 40)]
        self.assertEqual(whole[25:40], [line(e) for e in training(5, 25, 15)])

    def test_the_generator_of_numbers_is_pinned(self):
        rng = Rng(0)
        self.assertEqual(
            [rng.next() for _ in range(3)], [16294208416658607535, 7960286522194355700, 487617019471545679]
        )


class Variety(unittest.TestCase):
    def test_there_are_enough_kinds_and_names_are_unique(self):
        every = kinds.everything()
        self.assertGreaterEqual(len([kind for kind in every if not kind.entity]), 200)
        self.assertEqual(len({kind.id for kind in every}), len(every))

    def test_every_kind_has_thirty_wordings(self):
        maker = Maker(held=False)
        for kind in Rng(1).sample(maker.pool.targets, 60):
            from holm_training.kind import draw

            drawn = draw(kind, Rng(2), False, optional=1)
            maker.rng = Rng(3)
            texts = {maker.words(kind, drawn) for _ in range(400)}
            self.assertGreaterEqual(len(texts), 30, kind.id)

    def test_every_category_is_drawn(self):
        self.assertEqual({e["category"] for e in some()}, {name for name, _ in WEIGHTS})

    def test_two_to_twelve_tools_are_shown(self):
        sizes = {len(e["tools"]) for e in some()}
        self.assertGreaterEqual(min(sizes), 1)
        self.assertLessEqual(max(sizes), 12)


class Honesty(unittest.TestCase):
    def test_calls_fit_the_schemas_shown(self):
        for episode in some() + list(evaluation(7)):
            grammar = Grammar(episode["tools"])
            for turn in episode["turns"]:
                if turn.get("learn") and turn["expect"]["type"] == "call":
                    self.assertEqual(grammar.state(turn["content"]), "full", turn["content"])

    def test_string_arguments_stand_in_what_was_said_before(self):
        for episode in some():
            if episode["category"] in ("by_shell", "list_then_read", "injection"):
                continue
            said = ""
            for turn in episode["turns"]:
                if turn.get("learn") and turn["expect"]["type"] == "call":
                    for value in turn["expect"]["arguments"].values():
                        if isinstance(value, str):
                            self.assertIn(value, said)
                said += turn["content"] + "\n"

    def test_answers_hold_values_that_stand_in_the_output(self):
        for episode in some():
            for before, turn in zip(episode["turns"], episode["turns"][1:]):
                if (
                    turn.get("learn")
                    and turn["expect"]["type"] == "answer"
                    and before["role"] == "tool"
                    and episode["category"] not in ("listing", "injection")
                ):
                    for value in turn["expect"]["values"]:
                        self.assertIn(value, before["content"])
                        self.assertIn(value, turn["content"])

    def test_no_reply_reads_as_an_announcement(self):
        for episode in some():
            for turn in episode["turns"]:
                if turn.get("learn") and turn["expect"]["type"] in ("none", "honest", "refuse", "chat"):
                    for phrase in ("i will", "i'll", "let me", "let's", "we can", "we will", "i need to"):
                        self.assertNotIn(phrase, turn["content"].lower())


class HeldOut(unittest.TestCase):
    def test_held_kinds_never_appear_in_training(self):
        maker = Maker(held=False)
        self.assertFalse([kind.id for kind in maker.pool.shown if kinds.is_held(kind)])
        self.assertTrue(all(kinds.is_held(kind) for kind in Maker(held=True).pool.targets))

    def test_openers_and_orders_of_the_evaluation_are_not_in_training(self):
        self.assertFalse(set(wording.OPEN_ORDER) & set(wording.FRESH_OPEN_ORDER))
        self.assertFalse(set(wording.CONTEXT) & set(wording.FRESH_CONTEXT))
        self.assertFalse(set(talk.INJECT_OPEN) & set(talk.FRESH_INJECT_OPEN))
        self.assertFalse(set(talk.BAD) & set(talk.FRESH_BAD))
        self.assertFalse(set(talk.chat_prompts()) & set(talk.CHAT_EVAL))

    def test_file_names_of_the_evaluation_are_not_in_training(self):
        from holm_training import values

        text = "".join(line(e) for e in some()).lower()
        for stem in values.EVAL_STEM:
            for ext in values.EXT:
                self.assertFalse(f"{stem}.{ext}" in text, f"{stem}.{ext}")

    def test_no_held_out_request_occurs_in_training(self):
        known = {e["turns"][0]["content"] for e in some() if e["category"] not in ("greeting", "refusal")}
        fresh = [
            e["turns"][0]["content"]
            for e in evaluation(2)
            if e["category"] in ("single_call", "nothing_fits")
        ]
        self.assertFalse(known & set(fresh))

    def test_there_are_at_least_three_hundred_episodes(self):
        self.assertGreaterEqual(sum(count for _, count in EVALUATION), 300)


class Vectors(unittest.TestCase):
    def test_the_vectors_in_the_repository_are_what_the_protocol_writes(self):
        with open("vectors.json", encoding="utf-8") as file:
            vectors = json.load(file)
        self.assertGreaterEqual(len(vectors), 15)
        for vector in vectors:
            self.assertEqual(protocol.prompt(vector["episode"], vector["turn"]), vector["prompt"])


if __name__ == "__main__":
    unittest.main()
