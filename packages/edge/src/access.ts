// Who may ask. The operator's token opens everything; a page is given another one that is short-lived, for one origin and for some
// routes, so that no page ever holds a key.

import { Refusal } from './refusal.js';
import type { Settings } from './settings.js';

/** What a token opens. */
export type Scope = 'query' | 'extract' | 'model' | 'token';

/** What a page's token says. */
interface Claims {
  /** When it ends, in seconds since 1970. */
  exp: number;
  origin: string;
  scope: Scope[];
}

/** What pages may be given; never the making of further tokens. */
const FOR_PAGES: readonly Scope[] = ['query', 'extract', 'model'];

/** Lets a request pass or throws a refusal. */
export async function admit(settings: Settings, request: Request, scope: Scope): Promise<void> {
  const { access } = settings;
  if (access.kind === 'open') return;
  const given = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined) throw unknown('a bearer token is needed');
  if (await same(given, access.token)) return;
  const claims = await read(access.token, given);
  if (!claims) throw unknown('this token is not known here');
  if (claims.exp * 1000 <= Date.now()) throw unknown('this token has ended; get a new one');
  if (request.headers.get('origin') !== claims.origin) throw new Refusal(403, 'this token is for another origin');
  if (!claims.scope.includes(scope)) throw new Refusal(403, `this token is not for ${scope}`);
}

/** Makes a page's token. */
export async function mint(settings: Settings, wish: { [name: string]: unknown }): Promise<object> {
  const { access, origins, tokenSeconds } = settings;
  if (access.kind === 'open') throw new Refusal(400, 'no tokens are needed here');
  const { origin, seconds = tokenSeconds, scope = FOR_PAGES } = wish;
  if (typeof origin !== 'string' || !origins.includes(origin)) throw new Refusal(400, "'origin' must be one of HOLM_ORIGINS");
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= tokenSeconds)) {
    throw new Refusal(400, `'seconds' must be a number up to ${tokenSeconds}`);
  }
  const isScope = (name: unknown) => FOR_PAGES.includes(name as Scope);
  if (!Array.isArray(scope) || scope.length === 0 || !scope.every(isScope)) {
    throw new Refusal(400, `'scope' must be a list of: ${FOR_PAGES.join(' ')}`);
  }
  const claims: Claims = { exp: Math.floor(Date.now() / 1000 + seconds), origin, scope: scope as Scope[] };
  const text = base64url(new TextEncoder().encode(JSON.stringify(claims)));
  const seal = await crypto.subtle.sign('HMAC', await keyOf(access.token), new TextEncoder().encode(text));
  return { token: `${text}.${base64url(new Uint8Array(seal))}`, expires: claims.exp, origin, scope };
}

/** The claims of a token that was sealed here. */
async function read(master: string, token: string): Promise<Claims | undefined> {
  const [text, seal, more] = token.split('.');
  if (text === undefined || seal === undefined || more !== undefined) return undefined;
  try {
    // The platform compares seals in constant time.
    const sealed = await crypto.subtle.verify('HMAC', await keyOf(master), bytesOf(seal), new TextEncoder().encode(text));
    return sealed ? (JSON.parse(new TextDecoder().decode(bytesOf(text))) as Claims) : undefined;
  } catch {
    return undefined;
  }
}

/** Compares in a time that says nothing about where two texts differ. */
async function same(left: string, right: string): Promise<boolean> {
  const digest = async (text: string) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const [one, two] = await Promise.all([digest(left), digest(right)]);
  let difference = 0;
  one.forEach((byte, at) => (difference |= byte ^ (two[at] ?? 0)));
  return difference === 0;
}

/** A key of its own, so that a seal tells nothing about the token itself. */
const keyOf = (master: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(`holm page token\n${master}`), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const unknown = (message: string) => new Refusal(401, message, {}, { 'www-authenticate': 'Bearer' });

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
