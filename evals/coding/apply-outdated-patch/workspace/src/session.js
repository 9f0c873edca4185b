// Sessions live in a cookie: user, time of creation in milliseconds, and since version 2 the role.
const MAX_AGE = 8 * 60 * 60 * 1000;
const SEPARATOR = "|";

export function writeSession(user, role, now) {
  return [user, now, role].join(SEPARATOR);
}

// Returns the session of a cookie, or null if it is not valid.
export function readSession(cookie, now) {
  const [user, createdAt, role = "guest"] = cookie.split(SEPARATOR);
  const ageInMilliseconds = now - Number(createdAt);
  if (ageInMilliseconds > MAX_AGE) {
    return null;
  }
  return { user, role, age: ageInMilliseconds };
}
