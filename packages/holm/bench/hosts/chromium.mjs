// Chromium, with the package's files as they are. Its clock is coarse, a tenth of a millisecond: the window has to be long beside that.

import { fileURLToPath } from 'node:url';
import { inBrowser, serveFolder } from '../../test/hosts/chromium.mjs';

const turns = fileURLToPath(new URL('../turns.mjs', import.meta.url));

export async function run(root, plan) {
  const { url, close } = await serveFolder(root, { '/turns.mjs': turns });
  try {
    return await inBrowser(url, (page) =>
      page.evaluate(async (plan) => {
        const { ready, Run } = await import('/dist/kernel.js');
        await ready();
        const { Codec } = await import('/dist/wire/codec.js');
        const { measure } = await import('/turns.mjs');
        const version = /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? 'unknown';
        return { version, found: measure({ Run, Codec }, plan, () => performance.now()) };
      }, plan),
    );
  } finally {
    close();
  }
}
