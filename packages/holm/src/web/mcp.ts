// Tools of MCP servers over streamable HTTP, the transport that pages and workers have. The host names the servers. A server's own hints,
// such as a read-only tool, do not change which calls need approval.

import { decide, type Policy } from '../grants.js';
import { output, type Tool, type ToolContext } from '../tool.js';
import type { Json, Level } from '../types.js';
import { readText } from './bounded-body.js';
import { nameBeside, renamedNote } from './tool-names.js';

/** The offered protocol revision; a server can answer with an older one, which is then used. */
const REVISION = '2025-06-18';

/** The most bytes of one response. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The most tools of one server, on all pages. */
const MAX_TOOLS = 200;

/** The most pages of a list, in case a server never ends it. */
const MAX_PAGES = 50;

/** The time limit of one exchange. */
const TIMEOUT_MS = 60_000;

/** The options of a server. */
export interface McpOptions {
  /** The prefix of its tools' names: letters, digits and dashes. */
  name: string;
  url: string;
  /** The policy of connections; it must allow the server's address. */
  policy: Policy;
  /** Headers for the server, such as a key. */
  headers?: Record<string, string>;
  /** The levels of its tools, by name. Others have the level `execute`, so their calls need approval. */
  levels?: Record<string, Level>;
  /** The host's other tools, which keep their names. */
  beside?: readonly Tool[];
  /** Called with a note for each tool that was renamed because its name was taken. */
  told?: (note: string) => void;
  timeoutMs?: number;
  fetch?: typeof fetch;
}

interface ListedTool {
  name: string;
  description?: string;
  inputSchema: { [name: string]: Json };
}

interface RpcResponse {
  id?: number;
  result?: { [name: string]: unknown };
  error?: { code: number; message: string };
}

/** A connected server. */
export class McpServer {
  readonly #options: McpOptions;
  #session: string | undefined;
  #revision = REVISION;
  #last = 0;

  private constructor(options: McpOptions) {
    this.#options = options;
  }

  /** Connects to a server. */
  static async connect(options: McpOptions, signal?: AbortSignal): Promise<McpServer> {
    if (!/^[A-Za-z0-9-]+$/.test(options.name)) throw new Error('the name of an MCP server can have only letters, digits and dashes');
    const decision = decide(options.policy, `fetch:${options.url}`);
    if (typeof decision === 'string' || 'denied' in decision) throw new Error(`${new URL(options.url).origin} is not granted`);
    const server = new McpServer(options);
    const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'holm', version: '0.1.0' } };
    const result = await server.#ask('initialize', hello, signal);
    if (typeof result.protocolVersion === 'string') server.#revision = result.protocolVersion;
    await server.#send({ jsonrpc: '2.0', method: 'notifications/initialized' }, signal);
    return server;
  }

  /** The server's tools with unique names. For several servers, use `nameBeside` on all their tools. */
  async tools(signal?: AbortSignal): Promise<Tool[]> {
    const listed: ListedTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && listed.length < MAX_TOOLS; page += 1) {
      const result = await this.#ask('tools/list', cursor === undefined ? {} : { cursor }, signal);
      if (Array.isArray(result.tools)) listed.push(...result.tools.filter(isListed));
      cursor = result.nextCursor;
      if (typeof cursor !== 'string') break;
    }
    const { beside = [], told } = this.#options;
    const { tools, renamed } = nameBeside(beside, listed.slice(0, MAX_TOOLS).map((tool) => this.#tool(tool)));
    for (const one of renamed) told?.(renamedNote(one));
    return tools;
  }

  #tool({ name, description, inputSchema }: ListedTool): Tool {
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
    const responses = await this.#send({ jsonrpc: '2.0', id, method, params }, signal);
    const answer = responses.find((message) => message.id === id);
    if (answer?.error) throw new Error(`${this.#options.name}: ${answer.error.message}`);
    if (!answer?.result) throw new Error(`${this.#options.name} did not answer ${method}`);
    return answer.result;
  }

  async #send(message: object, stop?: AbortSignal): Promise<RpcResponse[]> {
    const { url, headers, timeoutMs = TIMEOUT_MS, fetch: send = globalThis.fetch.bind(globalThis), name } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const all = new Headers(headers);
    all.set('content-type', 'application/json');
    all.set('accept', 'application/json, text/event-stream');
    if (this.#session !== undefined) {
      all.set('mcp-session-id', this.#session);
      all.set('mcp-protocol-version', this.#revision);
    }
    // The target of a redirect is not granted.
    const signal = stop ? AbortSignal.any([stop, timeout]) : timeout;
    const answer = await send(url, { method: 'POST', headers: all, body: JSON.stringify(message), signal, redirect: 'manual' });
    if (!answer.ok) {
      await answer.body?.cancel().catch(() => {});
      throw new Error(`${name} answered ${answer.status}`);
    }
    this.#session ??= answer.headers.get('mcp-session-id') ?? undefined;
    if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
      return eventsOf(answer.body, (message as { id?: number }).id);
    }
    const text = await readText(answer.body, MAX_BYTES);
    return text.trim() === '' ? [] : [JSON.parse(text) as RpcResponse];
  }
}

/** A server's address without the query, which often contains a key, so that journals can contain it. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Whether a tool's description is valid; one invalid tool does not affect the others. */
function isListed(tool: unknown): tool is ListedTool {
  const { name, inputSchema } = (tool ?? {}) as { [name: string]: unknown };
  return typeof name === 'string' && typeof inputSchema === 'object' && inputSchema !== null && !Array.isArray(inputSchema);
}

/** The messages of a stream up to the awaited response; a server may keep the stream open after it. */
async function eventsOf(body: ReadableStream<Uint8Array> | null, wanted: number | undefined): Promise<RpcResponse[]> {
  const found: RpcResponse[] = [];
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) throw new Error(`the response is longer than ${MAX_BYTES} bytes`);
    rest += decoder.decode(value, { stream: true });
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      const data = lines.map((line) => line.slice(5).trimStart()).join('\n');
      if (data !== '') found.push(JSON.parse(data) as RpcResponse);
    }
    if (found.some((message) => message.id === wanted)) break;
  }
  reader?.cancel().catch(() => {});
  return found;
}

/** The text of a result; other content is named by its type. */
function textOf(result: { [name: string]: unknown }): string {
  const content = (result.content as { type: string; text?: string }[] | undefined) ?? [];
  const parts = content.map(({ type, text }) => (type === 'text' ? (text ?? '') : `[${type}]`));
  if (parts.length === 0 && result.structuredContent !== undefined) return JSON.stringify(result.structuredContent);
  return parts.join('\n');
}
