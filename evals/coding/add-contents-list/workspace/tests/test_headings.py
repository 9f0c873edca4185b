import unittest

from mdtools.headings import headings


class Headings(unittest.TestCase):
    def test_levels(self):
        self.assertEqual(headings("# A\ntext\n### B ##\n#no heading\n"), [(1, "A"), (3, "B")])

    def test_code_blocks(self):
        self.assertEqual(headings("# A\n```\n# code\n```\n~~~ python\n# code\n~~~\n## B\n"), [(1, "A"), (2, "B")])
