"""click: a group with subcommands."""
import click


@click.group()
@click.option("--config", envvar="SHOP_CONFIG", show_envvar=True, type=click.File("r"), help="Settings to use.")
@click.option("-v", "--verbose", count=True, help="Says more.")
def shop(config, verbose):
    """Runs a shop."""


@shop.command()
@click.argument("item")
@click.option("--amount", type=int, default=1, show_default=True)
def buy(item, amount):
    """Buys an item."""
    click.echo((item, amount))


@shop.group()
def stock():
    """What is there."""


@stock.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what is sold out.")
def list_(everything):
    """Lists the stock."""
    click.echo(everything)


shop()
