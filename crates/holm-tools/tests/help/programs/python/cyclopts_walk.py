"""cyclopts, which prints through rich."""
from typing import Literal

import cyclopts

app = cyclopts.App(name="cyclopts-walk", version="1.4.0", help="Walks the dog.")


@app.default
def walk(dog: str, *, minutes: int = 30, pace: Literal["slow", "brisk"] = "slow", leash: bool = True):
    """Walks the dog.

    Parameters
    ----------
    dog: str
        Which dog.
    minutes: int
        How long.
    pace: str
        How fast.
    leash: bool
        Keeps it on the leash.
    """
    print(dog, minutes, pace, leash)


app()
