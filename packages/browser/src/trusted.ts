// The one gate through which the browser lets text become code. Workers of the engines come from blobs that this page made itself, the
// service worker from its own origin; markup never comes at all.

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown;
}

/** Closes the gate; call it before anything else. */
export function closeGate(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  trustedTypes?.createPolicy('default', {
    createScriptURL(url) {
      const { protocol, origin } = new URL(url, location.href);
      if (protocol === 'blob:' || origin === location.origin) return url;
      throw new TypeError('scripts come from this page alone');
    },
  });
}
