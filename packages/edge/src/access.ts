// Access control. The operator's token allows everything. A page gets a short-lived token for one origin and some routes, so that no
// page ever has a key. Journals in responses carry a seal, so that this host recognizes its own journals.

import { HttpError } from './http-error.js';
import type { Settings } from './settings.js';

/** A route that a token can allow. */
export type Scope = 'query' | 'extract' | 'model' | 'journal' | 'token';

/** The content of a page's token. */
interface Claims {
  /** Its expiry, in seconds since 1970. */
  exp: number;
  origin: string;
  scope: Scope[];
}

/** The scopes that pages can have; creating tokens is not among them. */
const PAGE_SCOPES: readonly Scope[] = ['query', 'extract', 'model', 'journal'];

/** The default scopes of pages; resuming journals from other hosts is not among them. */
const DEFAULT_SCOPES: readonly Scope[] = ['query', 'extract', 'model'];

/** Checks whether a request has access; throws otherwise. */
export async function authorize(settings: Settings, request: Request, scope: Scope): Promise<void> {
  const { access, origins } = settings;
  // Browsers send the origin of the page, and send some requests without a preflight. A page that is not listed must not reach this
  // host, even an open one, through the browser of a visitor.
  const origin = request.headers.get('origin');
  if (origin !== null && !origins.includes(origin)) throw new HttpError(403, 'this origin is not allowed; add it to HOLM_ORIGINS');
  if (access.kind === 'open') return;
  const given = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined) throw unauthorized('missing bearer token');
  if (await isEqual(given, access.token)) return;
  const claims = await claimsOf(access.token, given);
  if (!claims) throw unauthorized('invalid token');
  if (claims.exp * 1000 <= Date.now()) throw unauthorized('this token has expired; request a new one');
  if (origin !== claims.origin) throw new HttpError(403, 'this token is not valid for this origin');
  if (!claims.scope.includes(scope)) throw new HttpError(403, `this token does not allow '${scope}'`);
}

/** Creates a token for a page. */
export async function createToken(settings: Settings, body: { [name: string]: unknown }): Promise<object> {
  const { access, origins, tokenSeconds } = settings;
  if (access.kind === 'open') throw new HttpError(400, 'this host is open and needs no tokens');
  const { origin, seconds = tokenSeconds, scope = DEFAULT_SCOPES } = body;
  if (typeof origin !== 'string' || !origins.includes(origin)) throw new HttpError(400, "'origin' must be one of HOLM_ORIGINS");
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= tokenSeconds)) {
    throw new HttpError(400, `'seconds' must be a number up to ${tokenSeconds}`);
  }
  const isScope = (name: unknown) => PAGE_SCOPES.includes(name as Scope);
  if (!Array.isArray(scope) || scope.length === 0 || !scope.every(isScope)) {
    throw new HttpError(400, `'scope' must be a list of: ${PAGE_SCOPES.join(' ')}`);
  }
  const claims: Claims = { exp: Math.floor(Date.now() / 1000 + seconds), origin, scope: scope as Scope[] };
  const text = base64url(new TextEncoder().encode(JSON.stringify(claims)));
  return { token: `${text}.${await sign('page token', access.token, text)}`, expires: claims.exp, origin, scope };
}

/** The seal of a journal in a response; undefined on an open host, which accepts any journal. */
export async function sealOf({ access }: Settings, journal: string): Promise<string | undefined> {
  return access.kind === 'open' ? undefined : sign('journal', access.token, journal);
}

/** Whether this host sealed exactly this journal. */
export async function isSealed({ access }: Settings, journal: string, seal: unknown): Promise<boolean> {
  return access.kind === 'token' && typeof seal === 'string' && (await isValid('journal', access.token, journal, seal));
}

/** The claims of a token that this host signed. */
async function claimsOf(master: string, token: string): Promise<Claims | undefined> {
  const [text, seal, more] = token.split('.');
  if (text === undefined || seal === undefined || more !== undefined) return undefined;
  if (!(await isValid('page token', master, text, seal))) return undefined;
  return JSON.parse(new TextDecoder().decode(bytesOf(text))) as Claims;
}

async function sign(purpose: Purpose, master: string, text: string): Promise<string> {
  const seal = await crypto.subtle.sign('HMAC', await keyOf(purpose, master), new TextEncoder().encode(text));
  return base64url(new Uint8Array(seal));
}

/** Whether a seal is valid; the platform compares in constant time. */
async function isValid(purpose: Purpose, master: string, text: string, seal: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify('HMAC', await keyOf(purpose, master), bytesOf(seal), new TextEncoder().encode(text));
  } catch {
    // The seal is not valid base64.
    return false;
  }
}

/** Compares in constant time. */
async function isEqual(left: string, right: string): Promise<boolean> {
  const digest = async (text: string) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const [one, two] = await Promise.all([digest(left), digest(right)]);
  let difference = 0;
  one.forEach((byte, at) => (difference |= byte ^ (two[at] ?? 0)));
  return difference === 0;
}

/** The use of a key. */
type Purpose = 'page token' | 'journal';

/** A separate key for each purpose, so that a seal reveals nothing about the token, and a journal is never accepted as a token. */
const keyOf = (purpose: Purpose, master: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(`holm ${purpose}\n${master}`), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const unauthorized = (message: string) => new HttpError(401, message, {}, { 'www-authenticate': 'Bearer' });

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
