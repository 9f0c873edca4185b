"""click: one command with what its help can show."""
import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog="Notes are kept for ever.")
@click.argument("title")
@click.argument("parts", nargs=-1, type=click.Path())
@click.option("-t", "--tag", multiple=True, help="A label; may be given again.")
@click.option("--priority", type=click.IntRange(1, 5), default=3, show_default=True, help="How urgent it is.")
@click.option("--state", type=click.Choice(["open", "done"], case_sensitive=False), required=True, help="Where it stands.")
@click.option("--pin/--no-pin", default=False, help="Keeps it at the top.")
@click.option("--due", type=click.DateTime(formats=["%Y-%m-%d"]), help="When it must be done.")
@click.option("--at", nargs=2, type=float, help="Where it belongs.")
@click.option("--dry-run", is_flag=True, help="Only says what would be done, with every step that would be taken and every file that would be touched.")
@click.version_option("1.4.0")
def note(**kwargs):
    """Writes a note.

    The first line is its TITLE; PARTS are files that belong to it.
    """
    click.echo(kwargs)


note()
