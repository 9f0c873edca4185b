// The page's Trusted Types policy, the only way in which text can become code. The engines' workers come from blobs that this page
// created, the service worker from its own origin. Text never becomes HTML.

interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown;
}

/** Installs the policy; call it before anything else. */
export function restrictScripts(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypesFactory };
  trustedTypes?.createPolicy('default', {
    createScriptURL(url) {
      const { protocol, origin } = new URL(url, location.href);
      if (protocol === 'blob:' || origin === location.origin) return url;
      throw new TypeError('only scripts of this page can run');
    },
  });
}
