import unittest

from catalog.paging import page_count, paginate


class Paging(unittest.TestCase):
    def test_last_page_is_partial(self):
        page = paginate(list(range(45)), 3)
        self.assertEqual(page.items, [40, 41, 42, 43, 44])
        self.assertFalse(page.has_next)

    def test_full_last_page(self):
        page = paginate(list(range(40)), 2)
        self.assertEqual(page.pages, 2)
        self.assertFalse(page.has_next)

    def test_empty_list_has_one_page(self):
        self.assertEqual(page_count(0, 20), 1)
