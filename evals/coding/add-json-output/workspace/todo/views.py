"""Shows tasks."""


def as_text(tasks):
    """Return one line per task."""
    if not tasks:
        return "no tasks"
    return "\n".join(f"{task.number:3} [{'x' if task.done else ' '}] {task.text}" for task in tasks)
