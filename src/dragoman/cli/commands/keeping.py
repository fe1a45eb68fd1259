"""Commands that look after stored runs."""

from dragoman.cli.commands.declaring import Json, RunFolder, command, group, leave

app = group()


@command(app, "verify", "verify runs/mine")
def verify_run(folder: RunFolder, as_json: Json = False) -> None:
    """Check a run from end to end: records, plan, scores, counts, sounds. Exits 1 if any is wrong.

    It reads the folder alone and runs nothing: suites and data need not be there.
    """
    from dragoman.cli.keeping.verifying import verify

    leave(verify(folder, as_json=as_json))


@command(app, "upgrade", "upgrade runs/old")
def upgrade_run(folder: RunFolder) -> None:
    """Bring a run of an older format to the newest: checksums, and counts that show it at once."""
    from dragoman.cli.keeping.upgrading import upgrade

    upgrade(folder)
