"""Names of tables, and the statements that change them."""

INVOICES = "invoices"
PAYMENTS = "payments"
REMINDERS = "reminders"


def insert_row(db, table, row):
    columns = ", ".join(row)
    marks = ", ".join("?" for _ in row)
    db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", list(row.values()))


def update_row(db, table, row_id, **values):
    changes = ", ".join(f"{column} = ?" for column in values)
    db.execute(f"UPDATE {table} SET {changes} WHERE id = ?", [*values.values(), row_id])
