// The errors of this package. Every one of them is a `HolmError`.

import type { Result } from './frames.js';

export class HolmError extends Error {
  override name = 'HolmError';
}

/** The server refused a request. */
export class ApiError extends HolmError {
  override name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    readonly problem: string,
  ) {
    super(`${problem} (${status} ${code})`);
  }
}

/** The server cannot be reached any more. */
export class ConnectionLost extends HolmError {
  override name = 'ConnectionLost';
}

/** The run ended without an answer: it was cancelled, a limit ended it, or the model failed. */
export class RunError extends HolmError {
  override name = 'RunError';

  constructor(readonly result: Result) {
    super(`the run ended as \`${result.ending}\`: ${result.reason}`);
  }
}

/** `holm serve` did not start. */
export class StartError extends HolmError {
  override name = 'StartError';
}
