// The list of sessions, as the server changes.

import type { Session } from './wire.ts';

/**
 * The known sessions with the latest ones of the server, sorted by their last change. A known session that should be among the
 * latest and is not was deleted.
 */
export function mergeLatest(known: readonly Session[], latest: readonly Session[]): Session[] {
  const listed = new Set(latest.map((session) => session.id));
  const oldest = Math.min(...latest.map((session) => session.updated));
  const older = known.filter((session) => !listed.has(session.id) && session.updated <= oldest);
  return [...latest, ...older].sort((one, other) => other.updated - one.updated);
}
