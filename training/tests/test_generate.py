"""The data: the same bytes from the same seed, honest splits, calls that fit their schemas."""

import functools
import hashlib
import json
import unittest

from holm_training import errands as made, protocol, talk, values, workshop, wording
from holm_training.episodes import WEIGHTS, Maker
from holm_training.generate import EVALUATION, errands, evaluation, line, training
from holm_training.grammar import Grammar
from holm_training.kinds import all as kinds, family, lessons, synonyms
from holm_training.prng import Rng


@functools.cache
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

    def test_two_to_twelve_tools_are_shown_and_up_to_twenty_for_errands(self):
        for episode in some():
            most = workshop.MOST if "read" in str(episode["tools"]) else 12
            self.assertTrue(1 <= len(episode["tools"]) <= most, len(episode["tools"]))

    def test_things_and_deeds_have_several_names(self):
        for text in (synonyms.NOUNS, synonyms.VERBS):
            for words, gloss in synonyms.groups(text):
                self.assertGreaterEqual(len(set(words)), 2, words)
                self.assertTrue(gloss, words)


class Honesty(unittest.TestCase):
    def test_calls_fit_the_schemas_shown(self):
        for episode in some() + list(evaluation(7)) + list(errands(7)):
            grammar = Grammar(episode["tools"])
            for turn in episode["turns"]:
                if turn.get("learn") and turn["expect"]["type"] == "call":
                    self.assertEqual(grammar.state(turn["content"]), "full", turn["content"])

    def test_string_arguments_stand_in_what_was_said_before(self):
        for episode in some():
            if episode["category"] in ("by_shell", "list_then_read", "injection", "errand"):
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
                    and episode["category"] not in ("listing", "injection", "errand")
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


class Errands(unittest.TestCase):
    def replies(self, kind):
        """Errands of one kind with their last answer."""
        maker = Maker(held=False)
        for index in range(60):
            maker.rng, maker.turns = Rng.named("errands", kind, index), []
            getattr(made.Errands(maker), kind)()
            yield maker.turns

    def test_files_are_counted_compared_and_found_as_the_listing_says(self):
        for turns in self.replies("look"):
            answer, shown = turns[-1]["content"], turns[-2]["content"]
            sizes = {
                row.split("  ")[0]: int(row.split("  ")[1].split()[0])
                for row in shown.split("\n")
                if "  " in row
            }
            if answer.startswith("There"):
                self.assertIn(f" {len(sizes)} file", answer)
            if answer.startswith("The largest"):
                self.assertIn(f"{max(sizes, key=sizes.get)} with {max(sizes.values())} bytes", answer)
            if answer.startswith("The smallest"):
                self.assertIn(f"{min(sizes, key=sizes.get)} with {min(sizes.values())} bytes", answer)
            if answer.startswith(("Yes", "No,")):
                self.assertEqual(answer.split(", ")[1].split(" ")[0] in sizes, answer.startswith("Yes"))

    def test_lines_are_counted_as_they_are_numbered(self):
        for turns in self.replies("text"):
            answer, shown = turns[-1]["content"], turns[-2]["content"]
            if " has " in answer and answer.endswith(("lines.", "line.")) and shown.startswith("     1"):
                self.assertIn(f" {shown.split(chr(10))[-1].split(chr(9))[0].strip()} line", answer)

    def test_sums_are_right(self):
        for turns in self.replies("arithmetic"):
            script = turns[1]["expect"]["arguments"]
            term = next(value for value in script.values())[8:-2]
            left, sign, right = term.split(" ")
            result = {"+": int(left) + int(right), "-": int(left) - int(right), "*": int(left) * int(right)}[
                sign
            ]
            self.assertTrue(turns[-1]["content"].endswith(f"= {result}"), turns)


class HeldOut(unittest.TestCase):
    def test_the_held_out_set_is_the_one_of_the_first_figures(self):
        digest = hashlib.sha256("".join(line(e) for e in evaluation(3)).encode()).hexdigest()
        self.assertEqual(digest, "f1308ac054dd39eccd2453cf1b23424ef497b862bad7edeacddd7e463396202e")

    def test_what_training_alone_shows_has_none_of_the_held_out_kinds(self):
        held = [kind for kind in kinds.everything() if kinds.is_held(kind) and kind.domain != "deeds"]
        names = {name for kind in held for name in kind.names}
        asks = {ask for kind in held for ask in kind.asks}
        for kind in kinds.known():
            if kind.lesson:
                self.assertFalse(names & set(kind.names), kind.id)
                self.assertFalse(asks & set(kind.asks), kind.id)
        things = {word for words, _ in lessons.records() for word in words}
        things |= {word for words, _ in synonyms.groups(synonyms.NOUNS) for word in words}
        for row in family.ENTITIES.strip().split("\n"):
            words = row.partition(":")[0].split(",")
            if words[0] in family.HELD:
                self.assertFalse(things & set(filter(None, words)), words)

    def test_no_lesson_has_a_value_that_the_evaluation_keeps(self):
        for name, extra in values.EXTRA.items():
            kept = (
                set(values.split(values.NAMED.get(name, []), True))
                if len(values.NAMED.get(name, [])) >= values.KEPT
                else set()
            )
            self.assertFalse(kept & set(extra), name)

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
