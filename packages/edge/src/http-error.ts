// Errors with an HTTP status.

/** A request that gets an error response. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly status: number,
    message: string,
    readonly more: { [name: string]: unknown } = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  /** The body of the response. */
  body(): { [name: string]: unknown } {
    return { error: this.message, host: 'edge', ...this.more };
  }
}
