// Serves a freshly built page in front of a server that was built earlier, so that a change of the page needs no new server. The
// page has the server's own policy; everything else goes to the server unchanged.

import { readFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import { connect } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };

/** The policy that the server sends with its page, from the server's source. */
async function policy() {
  const source = await readFile(fileURLToPath(new URL('../../crates/holm-server/src/dashboard/file.rs', import.meta.url)), 'utf8');
  const [, text] = /const POLICY: &str = "([^;]*;[\s\S]*?)";\n/.exec(source) ?? [];
  if (text === undefined) throw new Error('the policy was not found in the server');
  return text.replace(/\\\n\s*/g, '');
}

/** Starts the proxy; `port` returns the port of the server behind it. */
export async function pageProxy(folder, port) {
  const own = { 'content-security-policy': await policy(), 'cache-control': 'no-cache' };
  const onward = (request, response, answered) => {
    const asked = send({ port: port(), host: '127.0.0.1', method: request.method, path: request.url, headers: request.headers }, answered);
    asked.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => asked.destroy());
    request.pipe(asked);
  };
  const proxy = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    const name = path === '/' ? 'index.html' : /^\/assets\/[\w.-]+$/.test(path) ? path.slice(1) : null;
    onward(request, response, async (answer) => {
      // The server decides who may load the page at all, and which headers it has.
      if (name === null || ![200, 404].includes(answer.statusCode)) {
        response.writeHead(answer.statusCode, answer.headers);
        return answer.pipe(response);
      }
      answer.resume();
      const body = await readFile(join(folder, name)).catch(() => null);
      const { 'content-length': length, 'content-encoding': encoding, 'transfer-encoding': transfer, ...headers } = answer.headers;
      if (body === null) return response.writeHead(404, headers).end();
      return response.writeHead(200, { ...headers, ...own, 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(body);
    });
  });
  proxy.on('upgrade', (request, socket, head) => {
    const socketOnward = connect(port(), '127.0.0.1', () => {
      const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      socketOnward.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      socketOnward.write(head);
      socketOnward.pipe(socket).pipe(socketOnward);
    });
    for (const [one, other] of [[socketOnward, socket], [socket, socketOnward]]) one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${proxy.address().port}`, close: () => proxy.close().closeAllConnections() };
}
