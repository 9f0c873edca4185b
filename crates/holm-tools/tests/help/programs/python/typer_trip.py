"""typer, which prints through rich: panels and boxes."""
import enum
from typing import List, Optional

import typer

app = typer.Typer(add_completion=False)


class By(str, enum.Enum):
    train = "train"
    boat = "boat"


@app.command()
def book(
    city: str = typer.Argument(..., help="Where to go."),
    stops: Optional[List[str]] = typer.Argument(None, help="Where to stop on the way."),
    by: By = typer.Option(By.train, help="How to travel."),
    guests: int = typer.Option(1, "--guests", "-g", min=1, max=9, help="How many travel."),
    window: bool = typer.Option(True, help="A seat at the window."),
    name: str = typer.Option(..., help="Who books."),
    bag: List[str] = typer.Option([], help="A bag; may be given again."),
):
    """Books a trip to CITY."""
    print(city, stops, by, guests, window, name, bag)


@app.command()
def cancel(number: int, force: bool = False):
    """Cancels a booking."""
    print(number, force)


if __name__ == "__main__":
    app()
