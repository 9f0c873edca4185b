// The parts of Node's `http` module that this package uses on Deno.

declare module 'node:http' {
  type Found = { address: string; family: number };

  export interface Options {
    method: string;
    agent: false;
    headers: Record<string, string>;
    lookup(host: string, options: { all?: boolean }, done: (error: null, address: string | Found[], family?: number) => void): void;
  }

  export interface Incoming extends AsyncIterable<Uint8Array> {
    statusCode: number;
    headers: Record<string, string | string[] | undefined>;
    destroy(error?: Error): void;
  }

  export interface Outgoing {
    on(event: 'response', listener: (answer: Incoming) => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
    end(): void;
    destroy(error?: Error): void;
  }

  export function request(url: string, options: Options): Outgoing;
}
