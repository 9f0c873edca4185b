// Functions of this program as tools of an agent, served over MCP on a port of this machine, behind a random token. Calls still
// go through Holm: the session's mode and grants decide, and the journal has every call.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolOffer } from '../client.js';

/** The versions of MCP with a handshake that this server speaks, the newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The largest request. Holm accepts messages of the same size. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A function that a model may call. */
export interface Tool<A = any> {
  name: string;
  /** What the model knows of it. */
  description: string;
  /** The JSON Schema of the arguments. Holm checks them before the call. */
  schema: Record<string, unknown>;
  /** A string is the result as it is; anything else becomes JSON. The model reads an error's message. */
  run: (given: A) => unknown;
  /** How much a call can change, at most. Without it, Holm assumes that a call can do anything. */
  level?: 'none' | 'read-only' | 'write' | 'execute';
  /** Whether calls go to `approve`. Otherwise this program allows the calls of its own functions. */
  ask?: boolean;
}

/** Serves functions to a server on this machine, as `<name>_<function>`. */
export async function serveTools(tools: Tool[], name = 'node'): Promise<ToolOffer> {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  if (known.size !== tools.length) throw new TypeError('two tools have the same name');
  const token = `Bearer ${randomBytes(32).toString('base64url')}`;
  const http = createServer((request, response) => {
    handle(request, token, (message) => answer(message, name, known)).then(
      ([status, body]) => send(response, status, body),
      () => send(response, 400, undefined),
    );
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  // The connection to Holm keeps this program alive, not this port.
  http.unref();
  const levels = Object.fromEntries(tools.flatMap((tool) => (tool.level ? [[tool.name, tool.level]] : [])));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return {
    name,
    entry: { url, headers: { Authorization: token }, era: 'handshake', ...(Object.keys(levels).length > 0 && { levels }) },
    names: tools.map((tool) => `${name}_${tool.name}`),
    allows: (called) => tools.some((tool) => called === `${name}_${tool.name}` && !tool.ask),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

type Answer = (message: Record<string, any>) => Promise<object | undefined>;

async function handle(request: IncomingMessage, token: string, answer: Answer): Promise<[number, object | undefined]> {
  // There is nothing that this server would say by itself.
  if (request.method !== 'POST') return [405, undefined];
  const given = Buffer.from(request.headers.authorization ?? '');
  if (given.length !== token.length || !timingSafeEqual(given, Buffer.from(token))) return [401, undefined];
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_BYTES) return [413, undefined];
    parts.push(part);
  }
  const made = await answer(JSON.parse(Buffer.concat(parts).toString('utf8')));
  return [made ? 200 : 202, made];
}

function send(response: ServerResponse, status: number, body: object | undefined): void {
  response.writeHead(status, body ? { 'content-type': 'application/json' } : {});
  response.end(body ? JSON.stringify(body) : undefined);
}

/** Answers one message of MCP; `undefined` for notifications. */
async function answer(message: Record<string, any>, name: string, tools: Map<string, Tool>): Promise<object | undefined> {
  const { id, method, params = {} } = message;
  if (id === undefined) return undefined;
  const result = (value: object) => ({ jsonrpc: '2.0', id, result: value });
  const error = (code: number, text: string) => ({ jsonrpc: '2.0', id, error: { code, message: text } });
  switch (method) {
    case 'initialize': {
      const protocolVersion = VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS[0];
      return result({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '0.1.0' } });
    }
    case 'ping':
      return result({});
    case 'tools/list':
      return result({
        tools: [...tools.values()].map(({ name, description, schema }) => ({ name, description, inputSchema: schema })),
      });
    case 'tools/call': {
      const tool = tools.get(params.name);
      return tool ? result(await call(tool, params.arguments ?? {})) : error(-32602, `there is no tool \`${params.name}\``);
    }
    default:
      return error(-32601, `\`${method}\` is not supported`);
  }
}

/** Calls a function. What it throws is a result that the model reads, not a failure of the server. */
async function call(tool: Tool, given: unknown): Promise<object> {
  try {
    const made: unknown = await tool.run(given);
    const text = typeof made === 'string' ? made : (JSON.stringify(made) ?? 'null');
    return { content: [{ type: 'text', text }], isError: false };
  } catch (error) {
    return { content: [{ type: 'text', text: String(error) }], isError: true };
  }
}
