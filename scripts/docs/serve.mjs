// Serves a built site on loopback only: node scripts/docs/serve.mjs FOLDER PORT

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve, sep } from 'node:path';

const folder = resolve(process.argv[2] ?? '.');
const port = Number(process.argv[3] ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`error: ${process.argv[3]} is not a valid port\n  hint: PORT=3001 make serve-docs`);
  process.exit(2);
}

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** The file that a request names, or nothing. A path never leaves the folder. */
function fileOf(url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return null;
  }
  const at = normalize(join(folder, path));
  if (at !== folder && !at.startsWith(folder + sep)) return null;
  for (const file of [at, join(at, 'index.html')]) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  }
  return null;
}

const server = createServer((request, response) => {
  const own = [`127.0.0.1:${server.address().port}`, `localhost:${server.address().port}`];
  const refuse = (status, text) => response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  // A page of another site must not read this one under a name of its own.
  if (!own.includes(request.headers.host ?? '')) return refuse(421, 'unknown host name');
  const file = fileOf(request.url ?? '/');
  if (file === null) return refuse(404, 'there is no such page');
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'x-content-type-options': 'nosniff' });
  return createReadStream(file).pipe(response);
});
server.on('error', (error) => {
  console.error(`error: ${error.message}\n  hint: PORT=3001 make serve-docs`);
  process.exit(1);
});
// Ctrl-C is the way to stop it, not a failure. Connections that browsers keep open do not delay it.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
server.listen(port, '127.0.0.1', () => console.log(`The documentation is at http://127.0.0.1:${server.address().port}/ (Ctrl-C stops it).`));
