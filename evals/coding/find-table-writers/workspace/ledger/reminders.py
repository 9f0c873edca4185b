"""Reminders for invoices that are late."""

from ledger.tables import REMINDERS, insert_row


def send_reminders(db, send, today):
    """Send a reminder for each late invoice, and record it."""
    for invoice_id, address in db.execute("SELECT id, address FROM late_invoices WHERE due < ?", [today]):
        send(address)
        insert_row(db, REMINDERS, {"invoice_id": invoice_id, "sent": today})
