const PATTERN = /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i;

// Adds an address to a list. Returns the new list.
export function subscribe(list, address) {
  const trimmed = address.trim();
  if (trimmed.length > 254 || !PATTERN.test(trimmed)) {
    throw new Error(`cannot subscribe: ${trimmed} is not an e-mail address`);
  }
  return list.includes(trimmed) ? list : [...list, trimmed];
}
