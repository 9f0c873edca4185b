import { formatQuery, parseQuery } from "./query.js";

// Returns the link with one value changed; all other values stay.
export function withValue(link, key, value) {
  const [path, query = ""] = link.split("?");
  return `${path}?${formatQuery({ ...parseQuery(query), [key]: value })}`;
}
