"""Invoices."""

from ledger import tables


def import_invoices(db, rows):
    """Add invoices from another system."""
    for row in rows:
        tables.insert_row(db, tables.INVOICES, row)


def open_invoices(db):
    """Return the invoices that are not paid."""
    return db.execute("SELECT * FROM invoices WHERE paid = 0").fetchall()


def invoice_total(db):
    """Return the sum of all invoices. The statement starts with a comment for the log."""
    return db.execute("/* INSERT INTO invoices is not allowed here */ SELECT SUM(amount) FROM invoices").fetchone()[0]
