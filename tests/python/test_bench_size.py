"""What `scripts/bench-size` finds. `scripts/bench-report --check` runs this."""

import importlib.machinery
import importlib.util
import struct
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench-size"


def load(path):
    loader = importlib.machinery.SourceFileLoader("bench_size", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_size", loader))
    # No cache beside a script.
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


size = load(SCRIPT)


def elf(sections):
    """The least of an ELF file: a head, a table of sections, and their names."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _, _ in sections) + b".shstrtab\0"
    heads, at = [struct.pack("<IIQQQQ", 0, 0, 0, 0, 0, 0)], 1
    for name, kind, room in sections:
        heads.append(struct.pack("<IIQQQQ", at, kind, 0, 0, 0, room))
        at += len(name) + 1
    table = 64 + 64 * (len(heads) + 1)
    heads.append(struct.pack("<IIQQQQ", at, 3, 0, 0, table, len(names)))
    head = b"\x7fELF\x02\x01".ljust(40, b"\0") + struct.pack("<Q", 64)
    head = head.ljust(58, b"\0") + struct.pack("<HHH", 64, len(heads), len(heads) - 1)
    return head + b"".join(one.ljust(64, b"\0") for one in heads) + names


class Sizes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.folder = Path(temporary.name)
        self.addCleanup(temporary.cleanup)

    def test_sections_are_read_and_those_without_bytes_are_left_out(self):
        made = elf([(".text", 1, 4096), (".bss", 8, 1 << 20), (".rodata", 1, 512)])
        self.assertEqual(size.sections(made)[:2], [(".text", 4096), (".rodata", 512)])

    def test_another_file_has_no_sections(self):
        for data in (b"", b"#!/bin/sh\n" * 20, b"\x7fELF\x01\x01" + b"\0" * 100):
            self.assertIsNone(size.sections(data))

    def test_the_first_load_is_what_is_named_and_what_that_imports_at_once(self):
        for name, text in {
            "index.html": '<script src="./assets/a.js"></script><link href="./assets/a.css"><a href="https://example.com/x.js">',
            "assets/a.js": 'import{x}from"./b.js";const later=()=>import("./later.js");import"./c.js";',
            "assets/b.js": 'import{y}from"./a.js";',
            "assets/c.js": "",
            "assets/later.js": "",
            "assets/a.css": "",
        }.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)
        found = {path.name for path in size.first_load(self.folder)}
        self.assertEqual(found, {"index.html", "a.js", "b.js", "c.js", "a.css"})

    def test_what_is_not_built_is_named_and_its_aim_is_open(self):
        sizes = size.Sizes()
        size.look_at_guests(sizes, self.folder)
        for look in (size.look_at_package, size.look_at_dashboard, size.look_at_archives):
            look(sizes, self.folder)
        self.assertEqual([one["what"] for one in sizes.missing], ["the npm package", "the dashboard", "the archives"])
        self.assertEqual([one["met"] for one in sizes.aims], [None, None])
        text = size.markdown(sizes)
        self.assertIn("- the dashboard: not there (make dashboard)", text)
        self.assertIn("| holm_bg.wasm with gzip ≤ 307,200 bytes | not measured | – |", text)

    def test_a_guest_is_told_with_its_machine_code_or_without(self):
        for name in ("read", "write", "js"):
            (self.folder / name).mkdir()
            (self.folder / name / "tool.toml").touch()
        (self.folder / "dist").mkdir()
        for name, data in {"read.wasm": b"\0" * 100, "read.ready": b"\0" * 900, "write.wasm": b"\1" * 50}.items():
            (self.folder / "dist" / name).write_bytes(data)
        sizes = size.Sizes()
        size.look_at_guests(sizes, self.folder)
        self.assertEqual([(one["name"], one["wasm_bytes"], one.get("prepared_bytes")) for one in sizes.guests],
                         [("read", 100, 900), ("write", 50, None)])
        self.assertEqual([one["what"] for one in sizes.missing], ["the guest js", "machine code of write"])


if __name__ == "__main__":
    unittest.main()
