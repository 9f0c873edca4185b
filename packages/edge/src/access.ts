// Who may ask. The operator's token opens everything; a page is given another one that is short-lived, for one origin and for some
// routes, so that no page ever holds a key. Journals that leave with an answer carry a seal, so that this host knows its own again.

import { Refusal } from './refusal.js';
import type { Settings } from './settings.js';

/** What a token opens. */
export type Scope = 'query' | 'extract' | 'model' | 'journal' | 'token';

/** What a page's token says. */
interface Claims {
  /** When it ends, in seconds since 1970. */
  exp: number;
  origin: string;
  scope: Scope[];
}

/** What pages may be given; never the making of further tokens. */
const FOR_PAGES: readonly Scope[] = ['query', 'extract', 'model', 'journal'];

/** What pages are given unless somebody says otherwise: going on with journals that nobody here has seen is not among it. */
const USUAL: readonly Scope[] = ['query', 'extract', 'model'];

/** Lets a request pass or throws a refusal. */
export async function admit(settings: Settings, request: Request, scope: Scope): Promise<void> {
  const { access, origins } = settings;
  // Browsers say which page asks, and send some requests without asking first. A page that was not named gets nothing done,
  // also where everybody else may ask, on the machine of whoever visits it.
  const origin = request.headers.get('origin');
  if (origin !== null && !origins.includes(origin)) throw new Refusal(403, 'this page may not ask here; HOLM_ORIGINS names those that may');
  if (access.kind === 'open') return;
  const given = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined) throw unknown('a bearer token is needed');
  if (await same(given, access.token)) return;
  const claims = await read(access.token, given);
  if (!claims) throw unknown('this token is not known here');
  if (claims.exp * 1000 <= Date.now()) throw unknown('this token has ended; get a new one');
  if (origin !== claims.origin) throw new Refusal(403, 'this token is for another origin');
  if (!claims.scope.includes(scope)) throw new Refusal(403, `this token is not for ${scope}`);
}

/** Makes a page's token. */
export async function mint(settings: Settings, wish: { [name: string]: unknown }): Promise<object> {
  const { access, origins, tokenSeconds } = settings;
  if (access.kind === 'open') throw new Refusal(400, 'no tokens are needed here');
  const { origin, seconds = tokenSeconds, scope = USUAL } = wish;
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
  return { token: `${text}.${await signed('page token', access.token, text)}`, expires: claims.exp, origin, scope };
}

/** The seal of a journal that leaves this host; none where everybody may ask and may so send any journal. */
export async function sealOf({ access }: Settings, journal: string): Promise<string | undefined> {
  return access.kind === 'open' ? undefined : signed('journal', access.token, journal);
}

/** Whether a journal left this host as it is. */
export async function isSealed({ access }: Settings, journal: string, seal: unknown): Promise<boolean> {
  return access.kind === 'token' && typeof seal === 'string' && (await verified('journal', access.token, journal, seal));
}

/** The claims of a token that was sealed here. */
async function read(master: string, token: string): Promise<Claims | undefined> {
  const [text, seal, more] = token.split('.');
  if (text === undefined || seal === undefined || more !== undefined) return undefined;
  if (!(await verified('page token', master, text, seal))) return undefined;
  return JSON.parse(new TextDecoder().decode(bytesOf(text))) as Claims;
}

async function signed(purpose: Purpose, master: string, text: string): Promise<string> {
  const seal = await crypto.subtle.sign('HMAC', await keyOf(purpose, master), new TextEncoder().encode(text));
  return base64url(new Uint8Array(seal));
}

/** Whether a seal fits; the platform compares in constant time. */
async function verified(purpose: Purpose, master: string, text: string, seal: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify('HMAC', await keyOf(purpose, master), bytesOf(seal), new TextEncoder().encode(text));
  } catch {
    // Then it was not even base64.
    return false;
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

/** What is sealed. */
type Purpose = 'page token' | 'journal';

/** A key of its own for each purpose: a seal tells nothing about the token itself, and a journal is never taken for a token. */
const keyOf = (purpose: Purpose, master: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(`holm ${purpose}\n${master}`), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const unknown = (message: string) => new Refusal(401, message, {}, { 'www-authenticate': 'Bearer' });

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
