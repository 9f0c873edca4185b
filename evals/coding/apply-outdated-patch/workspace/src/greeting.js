import { readSession } from "./session.js";

export function greeting(cookie, now) {
  const session = readSession(cookie, now);
  return session ? `Hello ${session.user}` : "Please sign in";
}
