// Whether the server answers. Pages that could not load during an outage load again when it is over.

import { shallowRef } from 'vue';

/** Status codes of a proxy whose server does not answer. */
const GATEWAY_ERRORS = new Set([502, 503, 504]);

/** Whether the last request got an answer. */
export const reachable = shallowRef(true);
const waiting = new Set<() => void>();

/** Whether a status means that the server did not answer; 0 means that there was no response at all. */
export function isOutage(status: number): boolean {
  return status === 0 || GATEWAY_ERRORS.has(status);
}

/** Records the result of a request. After an outage, the first success starts everything that waits. */
export function reportStatus(status: number): void {
  reachable.value = !isOutage(status);
  if (!reachable.value) return;
  const calls = [...waiting];
  waiting.clear();
  for (const call of calls) call();
}

/** Calls back once after the outage. Returns a function that cancels the call. */
export function afterOutage(call: () => void): () => void {
  waiting.add(call);
  return () => void waiting.delete(call);
}
