// Answers that are no result: one form, one place where their status is chosen.

/** A request that is not answered with a result. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    message: string,
    readonly more: { [name: string]: unknown } = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  /** As seeds of this protocol write it. */
  body(): { [name: string]: unknown } {
    return { error: this.message, host: 'edge', ...this.more };
  }
}
