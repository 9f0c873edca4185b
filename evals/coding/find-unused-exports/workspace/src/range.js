const DAY = 24 * 60 * 60 * 1000;

// Reads a range such as 2026-01-01..2026-01-31.
export function parseRange(text) {
  const [from, to] = text.split("..");
  return { from, to };
}

export function daysBetween(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
}

export function previousRange({ from, to }) {
  const length = daysBetween(from, to) * DAY;
  const shift = (date) => new Date(Date.parse(date) - length).toISOString().slice(0, 10);
  return { from: shift(from), to: shift(to) };
}
