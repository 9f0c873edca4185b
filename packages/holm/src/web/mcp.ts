// Tools of MCP servers, over streamable HTTP: the one transport that pages and workers have. Whoever writes the host names the servers;
// what a server says of itself (a hint that a tool only reads) changes nothing about what is asked.

import { decide, type Policy } from '../grants.js';
import { output, type Tool, type ToolContext } from '../tool.js';
import type { Json, Level } from '../types.js';
import { readText } from './bounded.js';
import { nameBeside, renamedNote } from './naming.js';

/** The revision that is offered; a server may answer with an older one, and its answer is then used. */
const REVISION = '2025-06-18';

/** Bytes of one answer. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Tools of one server, in all its pages. */
const MOST_TOOLS = 200;

/** Pages of a list; a server that never comes to an end is not listened to for ever. */
const MOST_PAGES = 50;

/** How long one exchange may take. */
const PATIENCE_MS = 60_000;

/** A server to reach. */
export interface McpOptions {
  /** What its tools' names begin with; letters, digits and dashes. */
  name: string;
  url: string;
  /** What may be reached; the server's address must be among it. */
  policy: Policy;
  /** A key, or other headers that the server wants. */
  headers?: Record<string, string>;
  /** How much its tools can change, by name; those that are not named may do anything, so they are asked about. */
  levels?: Record<string, Level>;
  /** Tools that the host has already, which keep their names. */
  beside?: readonly Tool[];
  /** Is told of each tool that is not called what it wanted, because another has that name. */
  told?: (note: string) => void;
  timeoutMs?: number;
  fetch?: typeof fetch;
}

interface Listed {
  name: string;
  description?: string;
  inputSchema: { [name: string]: Json };
}

interface Answer {
  id?: number;
  result?: { [name: string]: unknown };
  error?: { code: number; message: string };
}

/** A server that has been greeted. */
export class McpServer {
  readonly #options: McpOptions;
  #session: string | undefined;
  #revision = REVISION;
  #last = 0;

  private constructor(options: McpOptions) {
    this.#options = options;
  }

  /** Greets a server. */
  static async connect(options: McpOptions, signal?: AbortSignal): Promise<McpServer> {
    if (!/^[A-Za-z0-9-]+$/.test(options.name)) throw new Error('a server is named with letters, digits and dashes');
    const decision = decide(options.policy, `fetch:${options.url}`);
    if (typeof decision === 'string' || 'denied' in decision) throw new Error(`${new URL(options.url).origin} was not granted`);
    const server = new McpServer(options);
    const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'holm', version: '0.1.0' } };
    const result = await server.#ask('initialize', hello, signal);
    if (typeof result.protocolVersion === 'string') server.#revision = result.protocolVersion;
    await server.#send({ jsonrpc: '2.0', method: 'notifications/initialized' }, signal);
    return server;
  }

  /** Its tools, each with a name of its own; where there are several servers, `nameBeside` names those of all of them. */
  async tools(signal?: AbortSignal): Promise<Tool[]> {
    const listed: Listed[] = [];
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES && listed.length < MOST_TOOLS; page += 1) {
      const result = await this.#ask('tools/list', cursor === undefined ? {} : { cursor }, signal);
      if (Array.isArray(result.tools)) listed.push(...result.tools.filter(isListed));
      cursor = result.nextCursor;
      if (typeof cursor !== 'string') break;
    }
    const { beside = [], told } = this.#options;
    const { tools, renamed } = nameBeside(beside, listed.slice(0, MOST_TOOLS).map((tool) => this.#tool(tool)));
    for (const one of renamed) told?.(renamedNote(one));
    return tools;
  }

  #tool({ name, description, inputSchema }: Listed): Tool {
    const { name: server, levels, url } = this.#options;
    return {
      declaration: {
        name: `${server}_${name}`,
        description: description ?? '',
        schema: inputSchema,
        level: levels?.[name] ?? 'execute',
        needs: [`fetch:${addressOf(url)}`],
        yields: { untrusted: true, egress: true },
        error_text: 'allowed',
      },
      run: async ({ text, signal }: ToolContext) => {
        const result = await this.#ask('tools/call', { name, arguments: JSON.parse(text) as Json }, signal);
        return output({ outcome: result.isError === true ? 'failed' : 'succeeded', text: textOf(result) }).value;
      },
    };
  }

  async #ask(method: string, params: object, signal?: AbortSignal): Promise<{ [name: string]: unknown }> {
    this.#last += 1;
    const id = this.#last;
    const said = await this.#send({ jsonrpc: '2.0', id, method, params }, signal);
    const answer = said.find((message) => message.id === id);
    if (answer?.error) throw new Error(`${this.#options.name}: ${answer.error.message}`);
    if (!answer?.result) throw new Error(`${this.#options.name} did not answer ${method}`);
    return answer.result;
  }

  async #send(message: object, stop?: AbortSignal): Promise<Answer[]> {
    const { url, headers, timeoutMs = PATIENCE_MS, fetch: send = globalThis.fetch.bind(globalThis), name } = this.#options;
    const patience = AbortSignal.timeout(timeoutMs);
    const all = new Headers(headers);
    all.set('content-type', 'application/json');
    all.set('accept', 'application/json, text/event-stream');
    if (this.#session !== undefined) {
      all.set('mcp-session-id', this.#session);
      all.set('mcp-protocol-version', this.#revision);
    }
    // Nobody granted what a redirect names.
    const signal = stop ? AbortSignal.any([stop, patience]) : patience;
    const answer = await send(url, { method: 'POST', headers: all, body: JSON.stringify(message), signal, redirect: 'manual' });
    if (!answer.ok) {
      await answer.body?.cancel().catch(() => {});
      throw new Error(`${name} answered ${answer.status}`);
    }
    this.#session ??= answer.headers.get('mcp-session-id') ?? undefined;
    if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
      return eventsOf(answer.body, (message as { id?: number }).id);
    }
    const text = await readText(answer.body, MOST_BYTES);
    return text.trim() === '' ? [] : [JSON.parse(text) as Answer];
  }
}

/** A server's address as journals may have it: a key often stands behind the question mark. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** One tool that is described wrongly does not take the others with it. */
function isListed(tool: unknown): tool is Listed {
  const { name, inputSchema } = (tool ?? {}) as { [name: string]: unknown };
  return typeof name === 'string' && typeof inputSchema === 'object' && inputSchema !== null && !Array.isArray(inputSchema);
}

/** The messages of a stream, up to the answer that is waited for: a server may keep the stream open behind it. */
async function eventsOf(body: ReadableStream<Uint8Array> | null, wanted: number | undefined): Promise<Answer[]> {
  const found: Answer[] = [];
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    rest += decoder.decode(value, { stream: true });
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      const data = lines.map((line) => line.slice(5).trimStart()).join('\n');
      if (data !== '') found.push(JSON.parse(data) as Answer);
    }
    if (found.some((message) => message.id === wanted)) break;
  }
  reader?.cancel().catch(() => {});
  return found;
}

/** Text of a result; what is no text is named. */
function textOf(result: { [name: string]: unknown }): string {
  const content = (result.content as { type: string; text?: string }[] | undefined) ?? [];
  const parts = content.map(({ type, text }) => (type === 'text' ? (text ?? '') : `[${type}]`));
  if (parts.length === 0 && result.structuredContent !== undefined) return JSON.stringify(result.structuredContent);
  return parts.join('\n');
}
