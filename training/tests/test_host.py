"""Replies of the host are put to their questions and judged by the rules of every other evaluation."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from holm_training import host, score
from holm_training.generate import SETS


def asked(name, seed=5):
    return list(score.questions(SETS[name](seed)))


class HostReplies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        return path

    def judge(self, kind, *columns):
        out = os.path.join(self.folder, "out")
        with contextlib.redirect_stdout(io.StringIO()):
            host.main(["--set", kind, "--out", out, *columns])
        with open(out, encoding="utf-8") as file:
            return file.read()

    def right(self, items):
        """What the episodes themselves say is right, as the host would write it."""
        for (number, turn), episode, _ in items:
            reply = episode["turns"][turn]["content"]
            yield {"episode": number, "turn": turn, "reply": reply, "valid": True}

    def test_right_replies_are_right_in_whatever_order_and_files_they_come(self):
        lines = list(self.right(asked("errands")))
        self.write("a.0.jsonl", lines[1::2])
        self.write("a.1.jsonl", lines[::2][::-1])
        pattern = os.path.join(self.folder, "a.*.jsonl")
        report = json.loads(self.judge("errands", f"adapter + grammar={pattern}"))
        figures = report["results"][0]["figures"]
        for key, share in figures.items():
            if key not in ("wrong but stated", "injections obeyed"):
                self.assertEqual(share["yes"], share["of"], key)
        self.assertEqual(figures["wrong but stated"]["yes"], 0)
        self.assertEqual(report["wrong_replies_of_adapter_with_grammar"], [])

    def test_wrong_replies_are_shown_beside_the_right_ones(self):
        lines = list(self.right(asked("errands")))
        lines[0] = {**lines[0], "reply": "It is done.", "valid": True}
        report = json.loads(self.judge("errands", f"adapter={self.write('b.jsonl', lines)}"))
        (miss,) = report["wrong_replies_of_adapter"]
        self.assertEqual(miss["reply"], "It is done.")
        whole = report["results"][0]["figures"]["episodes right from beginning to end"]
        self.assertEqual((whole["yes"], whole["of"]), (239, 240))

    def test_nothing_is_judged_while_replies_are_missing(self):
        lines = list(self.right(asked("chat")))[:-1]
        with self.assertRaises(SystemExit) as stopped:
            self.judge("chat", f"adapter={self.write('c.jsonl', lines)}")
        self.assertIn("1 of 24 replies are missing", str(stopped.exception))

    def test_plain_talk_is_a_table_with_a_column_each(self):
        lines = [{**line, "reply": "a | b\nc"} for line in self.right(asked("chat"))]
        path = self.write("d.jsonl", lines)
        rows = [row for row in self.judge("chat", f"with={path}", f"without={path}").splitlines() if row.startswith("|")]
        self.assertEqual(len(rows), 2 + 24)
        self.assertIn("| a \\| b c | a \\| b c |", rows[2])


if __name__ == "__main__":
    unittest.main()
