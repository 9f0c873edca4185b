// The host's secrets. Their values are replaced by their names before the kernel, the journal and the model see them, and inserted only
// into the arguments of a call that is allowed to use them.

import type { ToolRequest } from './types.js';

/** Shorter forms are not replaced: they would match ordinary words, and they are too short to be secret. */
const MIN_LENGTH = 8;

/** The delimiters of a secret's name. */
const OPEN = '‹secret:';
const CLOSE = '›';

/** Secrets by name. */
export class Secrets {
  readonly #known: Map<string, string>;
  readonly #names = new Map<string, string>();
  readonly #finder: RegExp | undefined;

  constructor(known: Record<string, string> = {}) {
    this.#known = new Map(Object.entries(known));
    for (const [name, secret] of this.#known) {
      // As they appear inside JSON text, where they are searched, without regard to case.
      for (const form of formsOf(secret).map(inJson)) {
        if (form.length >= MIN_LENGTH && !this.#names.has(form.toLowerCase())) this.#names.set(form.toLowerCase(), name);
      }
    }
    const forms = [...this.#names.keys()].sort((a, b) => b.length - a.length);
    if (forms.length > 0) this.#finder = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi');
  }

  /** JSON text without the secrets. */
  hide(text: string): string {
    if (!this.#finder) return text;
    return text.replace(this.#finder, (found) => {
      const name = this.#names.get(found.toLowerCase());
      return name === undefined ? found : `${OPEN}${name}${CLOSE}`;
    });
  }

  /** Plain text without the secrets. */
  hidePlain(text: string): string {
    return this.#finder ? (JSON.parse(this.hide(JSON.stringify(text))) as string) : text;
  }

  /**
   * A call's arguments with the secrets that its allowed needs name. The host's own tool must also declare the need, because an imported
   * journal can claim any need. Other references stay unchanged.
   */
  reveal(text: string, needs: ToolRequest['needs'], own: readonly string[] = []): string {
    const named = needs.map((need) => ('request' in need ? need.request : need.grant));
    return text.replace(/‹secret:([^›]*)›/g, (reference, name: string) => {
      const secret = this.#known.get(name);
      const allowed = named.some((need) => need.startsWith(`secret:${name}@`));
      const asked = own.some((need) => need.startsWith(`secret:${name}@`) || need.startsWith('secret:{'));
      return secret === undefined || !allowed || !asked ? reference : inJson(secret);
    });
  }
}

/** The forms in which a tool may return a secret: plain, URL-encoded, as JSON inside JSON, in base64 and in hex. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const forms = [secret, inJson(secret), encodeURIComponent(secret), hex(bytes)];
  for (const shift of [0, 1, 2]) {
    const standard = innerBase64(bytes, shift);
    forms.push(standard, standard.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Bytes as hex digits. */
export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Base64 depends on the preceding bytes; these are the digits that depend only on the secret. */
function innerBase64(bytes: Uint8Array, shift: number): string {
  const text = btoa('\0'.repeat(shift) + String.fromCharCode(...bytes));
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  return text.slice(Math.ceil((shift * 8) / 6), end);
}
