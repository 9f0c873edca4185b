"""The prompt caches and the figures of `scripts/bench-cache`. `scripts/bench-report --check` runs this."""

import importlib.machinery
import importlib.util
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench-cache"


def load(path):
    loader = importlib.machinery.SourceFileLoader("bench_cache", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_cache", loader))
    # No cache beside a script; dataclasses look their module up.
    sys.dont_write_bytecode = True
    sys.modules["bench_cache"] = module
    loader.exec_module(module)
    return module


cache = load(SCRIPT)


def openai(*texts, key="k", tools=("read",)):
    return {"model": "m", "prompt_cache_key": key, "tools": list(tools), "instructions": "Be brief.", "input": list(texts)}


def block(text, marked=False):
    return {"type": "text", "text": text, **({"cache_control": {"type": "ephemeral"}} if marked else {})}


def claude(*blocks, tools=("read",)):
    tools = [{"name": name} for name in tools]
    return {"model": "m", "tools": tools, "system": [block("Be brief.")], "messages": [{"role": "user", "content": list(blocks)}]}


class Prefixes(unittest.TestCase):
    LONG = "a" * 6_000

    def test_a_prompt_is_served_in_whole_blocks_as_far_as_it_begins_like_one_before(self):
        kept = cache.PrefixCache()
        prompt, served, _ = kept.serve(openai(self.LONG))
        self.assertEqual(served, 0)
        longer, served, _ = kept.serve(openai(self.LONG, "b" * 6_000))
        self.assertEqual(served % 128, 0)
        self.assertTrue(prompt - 256 <= served <= prompt < longer, (prompt, served, longer))
        _, served, _ = kept.serve(openai("c" + self.LONG, "b" * 6_000))
        self.assertEqual(served, 0, "a change near the beginning")

    def test_tools_come_first_and_another_key_finds_nothing(self):
        kept = cache.PrefixCache()
        kept.serve(openai(self.LONG))
        self.assertEqual(kept.serve(openai(self.LONG, tools=("late", "read")))[1], 0)
        self.assertEqual(kept.serve(openai(self.LONG, key="other"))[1], 0)
        self.assertGreater(kept.serve(openai(self.LONG))[1], 1_024)

    def test_a_short_prompt_is_not_cached(self):
        kept = cache.PrefixCache()
        self.assertEqual([kept.serve(openai("a" * 2_000))[1] for _ in range(2)], [0, 0])


class Breakpoints(unittest.TestCase):
    LONG = "a" * 8_000

    def test_a_prompt_is_served_up_to_a_mark_that_was_written(self):
        kept = cache.BreakpointCache()
        prompt, served, written = kept.serve(claude(block(self.LONG, marked=True)))
        self.assertEqual((served, written), (0, prompt))
        grown, served, written = kept.serve(claude(block(self.LONG), block("b" * 8_000, marked=True)))
        self.assertEqual((served, served + written), (prompt, grown), "the mark itself is no part of the text")
        self.assertEqual(kept.serve(claude(block(self.LONG), block("b" * 8_000)))[1], 0, "without a mark nothing is looked for")

    def test_what_lies_more_than_twenty_blocks_before_a_mark_is_not_found(self):
        for between, is_found in [(19, True), (20, False)]:
            kept = cache.BreakpointCache()
            kept.serve(claude(block(self.LONG, marked=True)))
            later = [block(str(number)) for number in range(between - 1)]
            _, served, _ = kept.serve(claude(block(self.LONG), *later, block("end", marked=True)))
            self.assertEqual(served > 0, is_found, between)

    def test_other_tools_void_it_and_five_marks_are_refused(self):
        kept = cache.BreakpointCache()
        kept.serve(claude(block(self.LONG, marked=True)))
        self.assertEqual(kept.serve(claude(block(self.LONG, marked=True), tools=("late", "read")))[1], 0)
        with self.assertRaises(ValueError):
            kept.serve(claude(*[block(str(number), marked=True) for number in range(5)]))


class Figures(unittest.TestCase):
    def double(self, *prompts):
        double = cache.Double(cache.PrefixCache())
        double.seen = [cache.Seen(turn, prompt, served, turn) for turn, (prompt, served) in enumerate(prompts, 1)]
        return double

    def test_a_break_lacks_more_than_the_tail_of_the_prompt_before(self):
        double = self.double((40_000, 0), (50_000, 39_936), (51_000, 45_000), (52_000, 4_096), (53_000, 51_968))
        self.assertEqual(double.breaks(), [(4, 46_904)])

    def test_the_request_after_a_compaction_is_told_apart(self):
        double = self.double((90_000, 0), (100_000, 89_984), (60_000, 4_096), (62_000, 59_904))
        tally = {"breaks": {"compaction": 1, "tools": 0, "tokens": 95_904}}
        found = cache.figures(cache.FORMATS[0], double, tally, 1.0)
        self.assertEqual((found["compactions"], found["breaks"], found["breaks_between_compactions"]), (1, 1, 0))
        self.assertEqual(found["named_breaks"], {"compaction": 1})
        self.assertEqual(found["served_percent"], round(100 * (89_984 + 59_904) / 162_000, 2))

    def test_what_the_command_does_not_name_is_wrong(self):
        double = self.double((90_000, 0), (100_000, 89_984), (110_000, 4_096))
        found = cache.figures(cache.FORMATS[0], double, {"breaks": {"tokens": 0}}, 1.0)
        told = cache.checks(found)
        self.assertTrue(any("1 breaks, but holm names {}" in why for why in told), told)
        self.assertTrue(any("3 turns were played, not 300" in why for why in told), told)
        self.assertIn("missed", cache.markdown([found]))


if __name__ == "__main__":
    unittest.main()
