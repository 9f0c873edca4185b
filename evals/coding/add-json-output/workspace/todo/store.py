"""Keeps tasks in a JSON file."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Task:
    number: int
    text: str
    done: bool = False


class TaskStore:
    def __init__(self, path):
        self._path = Path(path)

    def tasks(self):
        if not self._path.exists():
            return []
        return [Task(**task) for task in json.loads(self._path.read_text(encoding="utf-8"))]

    def add(self, text):
        tasks = self.tasks()
        tasks.append(Task(len(tasks) + 1, text))
        self._save(tasks)

    def finish(self, number):
        tasks = self.tasks()
        for task in tasks:
            task.done = task.done or task.number == number
        self._save(tasks)

    def _save(self, tasks):
        self._path.write_text(json.dumps([vars(task) for task in tasks]), encoding="utf-8")
