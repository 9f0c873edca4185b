export function formatCount(count) {
  return count.toLocaleString("en");
}

export function formatPercent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

// Like formatCount, but with k and M.
export function formatShort(count) {
  if (count >= 1e6) return `${formatFixed(count / 1e6)}M`;
  return count >= 1e3 ? `${formatFixed(count / 1e3)}k` : String(count);
}

export function formatFixed(value) {
  return value.toFixed(1);
}

export function formatCsvField(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
