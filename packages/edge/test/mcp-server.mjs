// Somebody else's MCP server, over streamable HTTP: the reference server of the protocol's own project.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

const home = process.env.HOLM_MCP_PEERS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holm/mcp');

/** Starts it; gives its address. */
export async function everything() {
  const program = join(home, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  if (!existsSync(program)) throw new Error('the reference MCP server is missing; run scripts/setup conformance');
  const port = await freePort();
  const child = spawn(join(home, 'node_modules/.bin/node'), [program, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (piece) => (said += piece));
  for (const end = Date.now() + 60_000; !(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)); ) {
    if (Date.now() > end || child.exitCode !== null) throw new Error(`the MCP server did not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const close = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
