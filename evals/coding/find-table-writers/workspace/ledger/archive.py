"""Moves old data to the archive."""

ARCHIVED = ("payments", "invoices")


def archive_year(db, year):
    """Copy a year to the archive tables, then delete it."""
    for table in ARCHIVED:
        db.execute(f"INSERT INTO archive_{table} SELECT * FROM {table} WHERE year = ?", [year])
        db.execute(f"DELETE FROM {table} WHERE year = ?", [year])
