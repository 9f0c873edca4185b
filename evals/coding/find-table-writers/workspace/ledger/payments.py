"""Payments."""

from ledger.tables import INVOICES, PAYMENTS, insert_row, update_row


def record_payment(db, invoice_id, amount):
    """Record a payment. It does not close the invoice; close_paid does that at night."""
    insert_row(db, PAYMENTS, {"invoice_id": invoice_id, "amount": amount})


def close_paid(db):
    """Mark invoices as paid if their payments cover the amount."""
    for invoice_id in [row[0] for row in db.execute("SELECT invoice_id FROM covered_invoices")]:
        update_row(db, INVOICES, invoice_id, paid=1)
