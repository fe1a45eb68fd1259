"""Commands that look after stored runs."""

from dragoman.cli.commands.declaring import RunFolder, command, group

app = group()


@command(app, "upgrade", "upgrade runs/old")
def upgrade_run(folder: RunFolder) -> None:
    """Bring a run of an older format to the newest: checksums, and counts that show it at once."""
    from dragoman.cli.keeping.upgrading import upgrade

    upgrade(folder)
