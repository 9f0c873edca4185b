"""fire: a function becomes a program."""
import fire


def grow(plant, water=2, light="sun", fast=False):
    """Grows a plant.

    Args:
      plant: Which plant.
      water: Litres a day.
      light: What light it gets.
      fast: Whether to hurry.
    """
    return f"{plant} {water} {light} {fast}"


fire.Fire(grow, name="fire-grow")
