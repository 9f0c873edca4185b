// Builds the page. Environment variables name the hosts that it may connect to, which become part of its settings and its
// Content-Security-Policy.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const env = process.env;
const list = (text = ''): string[] => text.split(/[\s,]+/).filter(Boolean);
const originOf = (url: string): string => new URL(url).origin;

const MODEL = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const ADAPTER = 'holm-tools-smollm2-135m.gguf';
const folder = env.HOLM_MODELS ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holm/models');

const grants = list(env.HOLM_GRANTS);
const mcp = list(env.HOLM_MCP).map((entry) => {
  const at = entry.indexOf('=');
  return { name: entry.slice(0, at), url: entry.slice(at + 1) };
});

const FORMATS = ['openai_chat', 'openai_responses', 'anthropic', 'gemini', 'cohere', 'ollama'];
if (env.HOLM_ENDPOINT_FORMAT && !FORMATS.includes(env.HOLM_ENDPOINT_FORMAT)) throw new Error(`HOLM_ENDPOINT_FORMAT must be one of: ${FORMATS.join(' ')}`);

const settings = {
  files: {
    model: env.HOLM_MODEL_URL ?? `/models/${MODEL}`,
    sha256: env.HOLM_MODEL_SHA256 ?? 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    adapter: env.HOLM_ADAPTER_URL ?? (env.HOLM_MODEL_URL ? undefined : `/models/${ADAPTER}`),
  },
  endpoint: env.HOLM_ENDPOINT,
  endpointModel: env.HOLM_ENDPOINT_MODEL ?? 'gpt-5-mini',
  endpointFormat: env.HOLM_ENDPOINT_FORMAT,
  tokenUrl: env.HOLM_TOKEN_URL,
  grants,
  mcp,
  webLlmModel: env.HOLM_WEBLLM_MODEL ?? 'Qwen2.5-3B-Instruct-q4f16_1-MLC',
};

// The hosts of WebLLM's weights and libraries; a page without WebLLM does not need them.
const webLlm = env.HOLM_WEBLLM === 'no' ? [] : ['https://huggingface.co', 'https://*.hf.co', 'https://raw.githubusercontent.com'];

const connect = [
  ...[env.HOLM_ENDPOINT, env.HOLM_TOKEN_URL, env.HOLM_MODEL_URL, env.HOLM_ADAPTER_URL].filter((url) => url?.includes('://')).map((url) => originOf(url!)),
  ...grants.filter((grant) => !grant.includes('*')).map((grant) => originOf(grant.replace(/^fetch:/, ''))),
  ...mcp.map(({ url }) => originOf(url)),
  ...webLlm,
];

/** Inserts the hosts into the page's policy. */
const policy: Plugin = {
  name: 'holm-policy',
  transformIndexHtml: (html) => html.replaceAll('%HOLM_CONNECT%', [...new Set(connect)].join(' ')),
};

/** Serves the model files that `scripts/setup model` downloaded. */
const models: Plugin = {
  name: 'holm-models',
  configureServer: ({ middlewares }) => void middlewares.use(serve),
  configurePreviewServer: ({ middlewares }) => void middlewares.use(serve),
};

function serve(request: { url?: string }, response: import('node:http').ServerResponse, next: () => void): void {
  const name = /^\/models\/([^/?]+)$/.exec(request.url ?? '')?.[1];
  const file = name && join(folder, basename(name));
  if (!file || !existsSync(file)) return next();
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': statSync(file).size });
  createReadStream(file).pipe(response);
}

/** The time limit of a token request to the edge host, in milliseconds. */
const TOKEN_PATIENCE_MS = 10_000;

/**
 * Stands for your own server: it has the operator's token of the edge host (HOLM_TOKEN) and hands the page one that ends soon and
 * opens the model alone. Nothing of HOLM_TOKEN is built into the page.
 */
const tokens: Plugin = {
  name: 'holm-tokens',
  configureServer: ({ middlewares }) => void middlewares.use(token),
  configurePreviewServer: ({ middlewares }) => void middlewares.use(token),
};

function token(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, next: () => void): void {
  const { HOLM_TOKEN: operator, HOLM_ENDPOINT: edge, HOLM_TOKEN_URL: path } = env;
  if (!operator || !edge || request.method !== 'POST' || request.url !== path) return next();
  const origin = request.headers.origin;
  const refuse = (status: number) => void response.writeHead(status).end();
  // Only this page itself gets a token; browsers send the origin of the page.
  if (origin !== `http://${request.headers.host}`) return refuse(403);
  fetch(`${edge.replace(/\/+$/, '')}/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator}` },
    body: JSON.stringify({ origin, scope: ['model'] }),
    signal: AbortSignal.timeout(TOKEN_PATIENCE_MS),
  }).then(
    async (answer) => void response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
    () => refuse(502),
  );
}

/** Writes the service worker with the names of all built files. */
const offline: Plugin = {
  name: 'holm-offline',
  apply: 'build',
  generateBundle(_, bundle) {
    // WebLLM's script has megabytes, so the service worker does not cache it in advance.
    const cached = Object.values(bundle).filter((file) => !(file.type === 'chunk' && file.isDynamicEntry) && !/\.(map|html)$/.test(file.fileName));
    const files = JSON.stringify(['/', ...cached.map(({ fileName }) => `/${fileName}`)]);
    // File names contain a hash of their content, and the page changes with its settings.
    const version = createHash('sha256').update(files).update(JSON.stringify([settings, connect])).digest('hex').slice(0, 16);
    const script = readFileSync(new URL('src/sw.js', import.meta.url), 'utf8');
    const source = script.replace('__FILES__', files).replace('__VERSION__', version);
    this.emitFile({ type: 'asset', fileName: 'sw.js', source });
  },
};

export default defineConfig({
  plugins: [policy, models, tokens, offline],
  define: { __HOLM__: JSON.stringify(settings) },
  optimizeDeps: { exclude: ['holm', '@wllama/wllama'] },
  server: { port: 8080, fs: { allow: ['..'] } },
  preview: { port: 8080 },
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, chunkSizeWarningLimit: 8000 },
});
