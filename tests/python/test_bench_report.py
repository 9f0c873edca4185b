"""What `scripts/bench-report` makes of the figures of benchmarks. It runs this by itself: `scripts/bench-report --check`."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench-report"
AROUND = {"load": 0.0, "cores": 2}


def load(path):
    loader = importlib.machinery.SourceFileLoader("bench_report", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_report", loader))
    sys.modules["bench_report"] = module
    # No cache beside a script.
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


report = load(SCRIPT)


class Reports(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def measured(self, name, figures, words="words\n"):
        (self.folder / f"{name}.md").write_text(words)
        (self.folder / f"{name}.json").write_text(figures if isinstance(figures, str) else json.dumps(figures))

    def made(self):
        names, wrong = report.make(self.folder, AROUND)
        for path in self.folder.glob("*.svg"):
            # It must be sound XML, whatever a system is called.
            xml.fromstring(path.read_text())
        return names, wrong, (self.folder / "report.md").read_text(), json.loads((self.folder / "report.json").read_text())

    def test_figures_over_turns_become_ratios_and_lines(self):
        rows = [{"system": system, "turns": turns, "quickest": value, "micros": 9.0, "instructions": None}
                for system, turns, value in [("peer", 1, 6.0), ("holm", 1, 2.0), ("peer", 10, 9.0), ("holm", 10, 2.0)]]
        self.measured("loop", {"figures": rows})
        _, wrong, text, data = self.made()
        self.assertEqual(wrong, [])
        self.assertIn("| holm | 2 | 2 |\n| peer | 3× | 4.5× |", text)
        self.assertEqual(data["benchmarks"]["loop"]["ratios"]["loop: quickest (µs)"]["peer"], {"1": 3.0, "10": 4.5})
        self.assertIn("<polyline", (self.folder / "loop.svg").read_text())

    def test_instructions_are_compared_before_times(self):
        rows = [{"system": system, "turns": turns, "quickest": 1.0, "instructions": count}
                for system, count in [("holm", 100), ("peer", 250)] for turns in (1, 10)]
        self.measured("loop", {"figures": rows})
        self.assertIn("| peer | 2.5× | 2.5× |", self.made()[2])

    def test_figures_without_an_axis_become_bars_for_each_case(self):
        rows = [{"system": system, "durability": durability, "p50_us": value, "appends_per_second": 100 / value}
                for durability in ("written", "synced") for system, value in [("holm", 10.0), ("file", 2.5)]]
        self.measured("journal", {"figures": rows})
        text = self.made()[2]
        self.assertIn("written: p50 (µs) | written: appends (a second, more is better) | synced: p50 (µs)", text)
        self.assertIn("| file | 0.25× | 4× | 0.25× | 4× |", text)
        self.assertIn("times holm", (self.folder / "journal.svg").read_text())

    def test_another_reference_may_be_named(self):
        rows = [{"system": system, "turns": turns, "quickest": value}
                for system, value in [("native", 1.0), ("node", 3.0)] for turns in (10, 1000)]
        self.measured("hosts", {"reference": "native", "figures": rows, "missing": [{"system": "deno", "why": "not there"}]})
        self.assertIn("| native | 1 | 1 |\n| node | 3× | 3× |", self.made()[2])

    def test_every_list_has_its_own_plot(self):
        rows = [{"system": "holm", "record_bytes": 300}, {"system": "file", "record_bytes": 200}]
        self.measured("journal", {"figures": rows, "sizes": rows, "aims": [{"aim": "a", "met": True}]})
        self.made()
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.svg")), ["journal-2.svg", "journal.svg"])

    def test_without_the_reference_the_values_themselves_are_drawn(self):
        self.measured("size", {"guests": [{"name": "read", "wasm_bytes": 95953}, {"name": "shell", "wasm_bytes": 2110303}]})
        text = self.made()[2]
        self.assertNotIn("×", text)
        self.assertIn("2,110,303", (self.folder / "size.svg").read_text())

    def test_figures_of_one_system_are_drawn_by_their_units(self):
        self.measured("load", {"figures": {"peak_bytes": 9, "empty_bytes": 3, "lost": 0, "made_s": 1.5, "joined_s": None}})
        self.made()
        self.assertEqual([path.name for path in self.folder.glob("*.svg")], ["load.svg"])

    def test_a_name_cannot_break_a_picture(self):
        rows = [{"system": system, "first_ms": 1.0} for system in ("holm", "a<b>&\"c\"")]
        self.measured("chat", {"figures": rows})
        self.made()

    def test_zeros_and_gaps_are_no_reason_to_stop(self):
        rows = [{"system": "holm", "turns": 1, "quickest": 0}, {"system": "peer", "turns": 10, "quickest": 1.0},
                {"system": "holm", "turns": 10, "quickest": None}]
        self.measured("loop", {"figures": rows})
        self.assertIn("| peer | – | – |", self.made()[2])

    def test_broken_figures_are_named_and_the_rest_is_told_all_the_same(self):
        self.measured("wire", '{"figures": [\n  {"reader": "holm", }]}', words="the wire's own words\n")
        self.measured("jail", "[]")
        self.measured("loop", {"figures": []}, words="the loop's own words\n")
        names, wrong, text, _ = self.made()
        self.assertEqual(names, ["jail", "loop", "wire"])
        self.assertEqual(len(wrong), 2)
        self.assertIn("jail.json holds no object of figures, but a list", wrong[0])
        self.assertRegex(wrong[1], r"wire\.json is not valid JSON: .* in line 2, column \d+")
        self.assertIn("the loop's own words", text)
        self.assertIn("the wire's own words", text)
        self.assertEqual(text.count("**Its figures could not be used**"), 2)

    def test_the_peers_are_named_with_their_versions(self):
        found = report.peers()
        for name in ("agnt-core", "rig-core", "eventsource-stream", "llama-cpp-2", "@openai/codex", "opencode-ai"):
            self.assertRegex(found, rf"(^|, ){name} \d+\.\d+\.\d+(,|$)")

    def test_what_was_not_measured_is_said(self):
        self.measured("loop", {"figures": []})
        text = self.made()[2]
        for name in ("journal", "hosts", "size", "local"):
            self.assertRegex(text, rf"Not measured in this run: .*\b{name}\b")

    def test_the_program_ends_with_one_error_for_a_broken_file(self):
        self.measured("wire", "{")
        ran = subprocess.run([sys.executable, str(SCRIPT), str(self.folder)], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr.count("error: "), 1)
        self.assertIn("wire.json is not valid JSON", ran.stderr)
        self.assertIn("RESULT bench.report benchmarks=wire", ran.stdout)


if __name__ == "__main__":
    unittest.main()
