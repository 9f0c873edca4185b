// Errors, with a kind for programs.

/** The kinds of the Rust side, and `not_ready` and `internal` of this package. */
export type HolmErrorKind =
  | 'bad_json'
  | 'misuse'
  | 'payload'
  | 'journal'
  | 'replay'
  | 'fork'
  | 'snapshot'
  | 'unknown_call'
  | 'unknown_format'
  | 'finished'
  | 'schema'
  | 'postcondition'
  | 'contract'
  | 'skill'
  | 'grant'
  | 'agent_rs'
  | 'not_ready'
  | 'internal';

/** The error of this package. */
export class HolmError extends Error {
  override readonly name = 'HolmError';

  constructor(
    readonly kind: HolmErrorKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options as ErrorOptions);
  }

  /** Wraps an error from WASM: the JSON of a fault, or a trap. */
  static of(thrown: unknown): HolmError {
    if (thrown instanceof HolmError) return thrown;
    if (typeof thrown === 'string') {
      try {
        const fault = JSON.parse(thrown) as { kind: HolmErrorKind; message: string };
        return new HolmError(fault.kind, fault.message);
      } catch {
        return new HolmError('internal', thrown);
      }
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new HolmError('internal', `internal error in Holm, please report it: ${message}`, { cause: thrown });
  }
}
