// Reads a query string, with or without the question mark.
export function parseQuery(text) {
  const values = {};
  for (const part of text.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    const [key, value] = part.split("=");
    values[decodeURIComponent(key)] = decodeURIComponent(value ?? "");
  }
  return values;
}

// Writes a query string, without the question mark. An array becomes several pairs.
export function formatQuery(values) {
  return Object.entries(values)
    .flatMap(([key, value]) => [value].flat().map((one) => `${encodeURIComponent(key)}=${encodeURIComponent(one)}`))
    .join("&");
}
