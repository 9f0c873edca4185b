"""Exports rows to CSV. Lines end with a line feed."""


def to_csv(rows, columns):
    """Return CSV text: a header, then one line per row. A missing value and None become an empty field."""
    lines = [",".join(columns)]
    for row in rows:
        fields = []
        for column in columns:
            value = row.get(column)
            fields.append("" if value is None else str(value))
        lines.append(",".join(fields))
    return "\n".join(lines) + "\n"
