// Twenty-five hostile pages that a user may visit while the dashboard is open in another tab. Each makes one attempt. Pages
// `elsewhere` are of another site. The name of a `rebound` page was made to point at this server, so that the browser treats both
// as one origin. Each page is a script that ends with its attempt.

const JSON_TYPE = `'content-type': 'application/json'`;
const ask = (path, how) => `fetch(at + ${JSON.stringify(path)}, { credentials: 'include', ${how} })`;
const json = (method, path, body) => ask(path, `method: '${method}', headers: { ${JSON_TYPE} }, body: ${JSON.stringify(JSON.stringify(body))}`);
const plain = (path, body) => ask(path, `method: 'POST', mode: 'no-cors', body: ${JSON.stringify(JSON.stringify(body))}`);
const told = (element, set) => `new Promise((over) => { const it = document.createElement('${element}'); it.onload = it.onerror = over; ${set}; document.body.append(it); })`;
const form = (path, type, name, value) => `new Promise((over) => {
  const frame = document.createElement('iframe');
  frame.name = 'answer';
  document.body.append(frame);
  frame.onload = over;
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', enctype: '${type}', action: at + ${JSON.stringify(path)}, target: 'answer' });
  const field = document.createElement('input');
  Object.assign(field, { name: ${JSON.stringify(name)}, value: ${JSON.stringify(value)} });
  form.append(field);
  document.body.append(form);
  form.submit();
})`;
const socket = (path, protocols) => `new Promise((over) => {
  const line = new WebSocket(at.replace('http', 'ws') + ${JSON.stringify(path)}, ${JSON.stringify(protocols)});
  line.onopen = () => { line.send('{"prompt":"x"}'); line.close(); };
  line.onclose = line.onerror = over;
})`;
const worker = (code) => `new Promise((over) => {
  const it = new Worker(URL.createObjectURL(new Blob(['(' + (async (at) => { try { await ${code}; } catch {} postMessage(1); }) + ')(' + JSON.stringify(at) + ')'])));
  it.onmessage = it.onerror = over;
})`;

/** `session` is an existing session. */
export const pages = (session) => [
  { name: 'a session without a preflight', from: 'elsewhere', script: plain('/api/sessions', { prompt: 'x' }) },
  { name: 'a session with a preflight', from: 'elsewhere', script: json('POST', '/api/sessions', { prompt: 'x' }) },
  { name: 'a prompt without a preflight', from: 'elsewhere', script: plain(`/api/sessions/${session}/prompt`, { text: 'x' }) },
  { name: 'a session forgotten', from: 'elsewhere', script: json('DELETE', `/api/sessions/${session}`, {}) },
  { name: 'a token for oneself', from: 'elsewhere', script: json('POST', '/api/tokens', { user: 'eve', role: 'admin', sessions: null }) },
  { name: 'a key by a form of plain text', from: 'elsewhere', script: form('/api/keys', 'text/plain', '{"provider":"openai","key":"', '"}') },
  { name: 'a completion by a form', from: 'elsewhere', script: form('/v1/chat/completions', 'application/x-www-form-urlencoded', 'model', 'x') },
  { name: 'files by a form of many parts', from: 'elsewhere', script: form('/api/files?path=evil.txt', 'multipart/form-data', 'file', 'x') },
  { name: 'a beacon', from: 'elsewhere', script: `navigator.sendBeacon(at + '/api/sessions', new Blob(['{"prompt":"x"}'], { type: 'text/plain' }))` },
  { name: 'a socket to a session', from: 'elsewhere', script: socket(`/api/sessions/${session}/socket`, ['holm']) },
  { name: 'a picture that cancels', from: 'elsewhere', script: told('img', `it.src = at + '/api/sessions/${session}/cancel'`) },
  { name: 'a script of the server', from: 'elsewhere', script: told('script', `it.src = at + '/api/sessions'`) },
  { name: 'the dashboard in a frame', from: 'elsewhere', script: `${told('iframe', `it.src = at + '/#/settings'`)}.then(() => frames[0].document.querySelector('button').click())` },
  { name: 'a worker', from: 'elsewhere', script: worker(plain('/api/jobs', { id: 'evil', spec: { when: 'asked', prompt: 'x' } })) },
  { name: 'a guessed token', from: 'elsewhere', script: ask('/api/sessions', `method: 'POST', headers: { ${JSON_TYPE}, authorization: 'Bearer holm_guess' }, body: '{"prompt":"x"}'`) },
  { name: 'a session', from: 'rebound', script: json('POST', '/api/sessions', { prompt: 'x' }) },
  { name: 'a prompt', from: 'rebound', script: json('POST', `/api/sessions/${session}/prompt`, { text: 'x' }) },
  { name: 'a file', from: 'rebound', script: ask('/api/files?path=evil.txt', `method: 'PUT', headers: { 'if-none-match': '*' }, body: 'x'`) },
  { name: 'an agent', from: 'rebound', script: ask('/api/agents/evil', `method: 'PUT', headers: { ${JSON_TYPE}, 'if-none-match': '*' }, body: '{"text":"---\\\\nname: evil\\\\n---\\\\nx"}'`) },
  { name: 'an MCP server', from: 'rebound', script: json('POST', '/api/mcp-servers', { name: 'evil', entry: { command: '/bin/sh' } }) },
  { name: 'a site', from: 'rebound', script: json('POST', '/api/sites', { name: 'evil', folder: '.', place: { listen: '127.0.0.1:0' }, password: null }) },
  { name: 'a call over MCP', from: 'rebound', script: json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'holm', arguments: { task: 'x' } } }) },
  { name: 'a socket', from: 'rebound', script: socket(`/api/sessions/${session}/socket`, ['holm', 'holm.bearer.holm_guess']) },
  { name: 'the token of the page', from: 'rebound', script: `fetch(at + '/api/sessions', { method: 'POST', headers: { ${JSON_TYPE}, authorization: 'Bearer ' + (sessionStorage['holm.token'] ?? localStorage['holm.token']) }, body: '{"prompt":"x"}' })` },
  { name: 'a worker of the name', from: 'rebound', script: worker(json('POST', '/api/backups', { name: 'evil' })) },
];

/** The HTML of a page. Its title becomes `over` when the attempt has ended, with any result. */
export const written = (page, target) =>
  `<!doctype html><title>trying</title><body><script>const at = ${JSON.stringify(target)}; (async () => { try { await ${page.script}; } catch {} document.title = 'over'; })();</script>`;
