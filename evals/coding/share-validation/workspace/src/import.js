// Reads addresses from text, one per line. Returns valid and invalid lines.
export function importAddresses(text) {
  const result = { valid: [], invalid: [] };
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const isValid = line.length <= 254 && /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i.test(line);
    (isValid ? result.valid : result.invalid).push(line);
  }
  return result;
}
