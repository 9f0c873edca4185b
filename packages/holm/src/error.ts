// What goes wrong, with a kind that programs can decide by.

/** The kinds that the Rust side names, and `not_ready` and `internal` of this side. */
export type FaultKind =
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

/** Everything that this package throws by itself. */
export class HolmError extends Error {
  override readonly name = 'HolmError';

  constructor(
    readonly kind: FaultKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options as ErrorOptions);
  }

  /** Wraps what came out of WASM: the JSON of a fault, or a trap. */
  static of(thrown: unknown): HolmError {
    if (thrown instanceof HolmError) return thrown;
    if (typeof thrown === 'string') {
      try {
        const fault = JSON.parse(thrown) as { kind: FaultKind; message: string };
        return new HolmError(fault.kind, fault.message);
      } catch {
        return new HolmError('internal', thrown);
      }
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new HolmError('internal', `a defect of Holm, please report it: ${message}`, { cause: thrown });
  }
}
