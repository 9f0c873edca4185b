"""Shows rows as a text table."""


def to_table(rows, columns):
    """Return one line per row, with columns of equal width."""
    cells = [list(columns)] + [[str(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(len(line[index]) for line in cells) for index in range(len(columns))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)
