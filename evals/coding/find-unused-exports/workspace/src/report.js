import { formatCount, formatPercent } from "./format.js";
import * as range from "./range.js";

// Returns the text of a report.
export function renderReport(rows, period) {
  const { from, to } = range.parseRange(period);
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  const lines = rows.map((row) => `${row.name}: ${formatCount(row.count)} (${formatPercent(row.count / total)})`);
  return [`${from} to ${to}, ${range.daysBetween(from, to)} days`, ...lines].join("\n");
}

// Returns the rows with the highest counts. A page once used it; see formatShort.
export function topRows(rows, limit) {
  return rows.toSorted((one, two) => two.count - one.count).slice(0, limit);
}
