// Builds the documentation site into a folder:
//
//   node scripts/docs/build.mjs OUT [API]     API: a folder that `cargo doc` wrote

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildSite } from './site.mjs';

const [out, api] = process.argv.slice(2);
if (out === undefined) {
  console.error('error: no output folder given\n  hint: make docs');
  process.exit(2);
}
const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { pages, entries } = buildSite({ root, out, api });
console.log(`${pages.size} pages, ${entries.length} sections in the search index: ${join(out, 'index.html')}`);
