// Downloads large files once into the browser's cache, so that the page then works without a network.

import type { Progress } from './engine';

/** The cache of model files, separate from the page's own files, which change with every build. */
const CACHE = 'holm-models-1';

/** A file, from the cache or from its URL. A wrong digest is an error, and the file is not stored. */
export async function fileOf(url: string, sha256: string | undefined, progress: (progress: Progress) => void): Promise<Blob> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(url);
  if (kept) return kept.blob();
  const answer = await fetch(url);
  if (!answer.ok || !answer.body) throw new Error(`cannot download ${url}: the server answered ${answer.status}`);
  const bytes = await read(answer, progress);
  if (sha256 !== undefined && (await digestOf(bytes)) !== sha256) throw new Error(`${url} has a wrong SHA-256; the file was not stored`);
  const blob = new Blob([bytes]);
  await cache.put(url, new Response(blob, { headers: { 'content-type': 'application/octet-stream' } }));
  return blob;
}

async function read(answer: Response, progress: (progress: Progress) => void): Promise<Uint8Array<ArrayBuffer>> {
  const total = Number(answer.headers.get('content-length')) || undefined;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  const reader = answer.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value as Uint8Array<ArrayBuffer>);
    loaded += value.length;
    progress({ loaded, total });
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
