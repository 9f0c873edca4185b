import io
import json
import os
import tempfile
import unittest
from unittest import mock

from todo.__main__ import main


class JsonOutput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        variables = mock.patch.dict(os.environ, {"TODO_FILE": os.path.join(folder.name, "tasks.json")})
        variables.start()
        self.addCleanup(variables.stop)

    def run_todo(self, *arguments):
        output = io.StringIO()
        main(arguments, output)
        return output.getvalue()

    def test_text_stays(self):
        self.assertEqual(self.run_todo("list"), "no tasks\n")

    def test_json(self):
        self.run_todo("add", "order paper")
        self.run_todo("add", "pay invoice")
        self.run_todo("done", "1")
        self.assertEqual(
            json.loads(self.run_todo("list", "--json")),
            [{"id": 1, "text": "order paper", "done": True}, {"id": 2, "text": "pay invoice", "done": False}],
        )
