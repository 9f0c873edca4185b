// What an operator says, read once into a form that cannot be wrong. Nothing here comes from a request.

import { services, service } from 'holm/catalogue';
import { decide } from 'holm/grants';
import type { AwsKeys } from 'holm';
import type { Format, Mode } from 'holm/kernel';

/** Requests are questions and journals; a longer one is somebody's mistake or attack. */
const MOST_BODY = 1024 * 1024;

/** How long one request may take: workers and proxies rarely give more. */
const WALL_MS = 60_000;

/** Model turns for one request. */
const TURNS = 8;

/** How long a page's token lasts at the most. */
const TOKEN_SECONDS = 900;

/** A token that can be guessed is none. */
const SHORTEST_TOKEN = 16;

/** Variables by name, as Deno's environment or a worker's bindings have them. */
export type Environment = { [name: string]: unknown };

/** A model service. */
export interface Endpoint {
  provider: string;
  format: Format;
  dialect: object;
  baseUrl: string;
  key: string | undefined;
  /** Keys of a service that wants a signature. */
  aws: AwsKeys | undefined;
}

/** Who may ask. */
export type Access = { kind: 'open' } | { kind: 'token'; token: string };

/** Everything that an operator can say. */
export interface Settings {
  endpoint: Endpoint;
  /** The first is used unless a request names another. */
  models: string[];
  access: Access;
  /** Pages that may ask; `*` is not taken. */
  origins: string[];
  /** What `fetch_url` may reach. */
  grants: string[];
  /** What is allowed without asking; nobody can be asked here. */
  mode: Mode;
  system: string | undefined;
  mcp: { name: string; url: string }[];
  mostBody: number;
  wallMs: number;
  turns: number;
  tokenSeconds: number;
}

/** Something that an operator must put right. */
export class BadSettings extends Error {
  override readonly name = 'BadSettings';
}

/** Reads the environment. */
export function readSettings(environment: Environment): Settings {
  const text = (name: string) => {
    const value = environment[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const models = list(text('LLM_MODEL') ?? 'gpt-5-mini');
  const grants = list(text('HOLM_GRANTS') ?? '');
  checkGrants(grants);
  return {
    endpoint: endpointOf(text),
    models,
    access: accessOf(text('HOLM_TOKEN'), text('HOLM_OPEN')),
    origins: list(text('HOLM_ORIGINS') ?? '').map(originOf),
    grants,
    mode: modeOf(text('HOLM_MODE')),
    system: text('HOLM_SYSTEM'),
    mcp: list(text('HOLM_MCP') ?? '').map(serverOf),
    mostBody: count(text('HOLM_MOST_BODY'), 'HOLM_MOST_BODY', MOST_BODY),
    wallMs: count(text('HOLM_WALL_MS'), 'HOLM_WALL_MS', WALL_MS),
    turns: count(text('HOLM_TURNS'), 'HOLM_TURNS', TURNS),
    tokenSeconds: count(text('HOLM_TOKEN_SECONDS'), 'HOLM_TOKEN_SECONDS', TOKEN_SECONDS),
  };
}

/** Lists are separated by white space or commas. */
const list = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

function count(text: string | undefined, name: string, usual: number): number {
  if (text === undefined) return usual;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number <= 0) throw new BadSettings(`${name} must be a whole number above zero`);
  return number;
}

function modeOf(text: string | undefined): Mode {
  if (text === undefined || text === 'default') return 'default';
  if (text === 'full') return 'full';
  throw new BadSettings("HOLM_MODE must be 'default' or 'full'");
}

function accessOf(token: string | undefined, open: string | undefined): Access {
  if (token !== undefined) {
    if (token.length < SHORTEST_TOKEN) throw new BadSettings(`HOLM_TOKEN must have at least ${SHORTEST_TOKEN} characters`);
    return { kind: 'token', token };
  }
  if (open === 'yes') return { kind: 'open' };
  throw new BadSettings('set HOLM_TOKEN, or HOLM_OPEN=yes to answer everybody');
}

function originOf(text: string): string {
  try {
    const url = new URL(text);
    if (url.origin === text && url.origin !== 'null') return text;
  } catch {
    // Said below.
  }
  throw new BadSettings(`HOLM_ORIGINS: '${text}' is no origin; write for example https://app.example.com`);
}

function serverOf(text: string): { name: string; url: string } {
  const at = text.indexOf('=');
  const [name, url] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[A-Za-z0-9-]+$/.test(name) || !URL.canParse(url)) {
    throw new BadSettings(`HOLM_MCP: '${text}' is no server; write for example docs=https://docs.example.com/mcp`);
  }
  return { name, url };
}

function checkGrants(grants: string[]): void {
  try {
    decide({ grants }, 'fetch:https://example.com/');
  } catch (error) {
    throw new BadSettings(`HOLM_GRANTS: ${error instanceof Error ? error.message : String(error)}`);
  }
  const other = grants.find((grant) => !grant.startsWith('fetch:'));
  if (other) throw new BadSettings(`HOLM_GRANTS: '${other}' means nothing here; only fetch: does`);
}

/** Reads one variable. */
type Text = (name: string) => string | undefined;

function endpointOf(text: Text): Endpoint {
  const [provider, address, key] = [text('LLM_PROVIDER'), text('LLM_ENDPOINT'), text('LLM_API_KEY')];
  if (provider === undefined && address === undefined) {
    throw new BadSettings('set LLM_ENDPOINT to the base URL of a model service, or LLM_PROVIDER to the name of a known one');
  }
  const known = provider === undefined ? undefined : service(provider);
  if (provider !== undefined && !known) {
    throw new BadSettings(`LLM_PROVIDER: '${provider}' is not known; one of: ${services.map(({ id }) => id).join(' ')}`);
  }
  const [format, dialect] = Object.entries(known?.speaks ?? { openai_chat: {} })[0] ?? ['openai_chat', {}];
  const region = text('AWS_REGION') ?? text('AWS_DEFAULT_REGION');
  const usual = (known?.base_url ?? '').replace('{region}', region ?? '{region}');
  const baseUrl = address === undefined ? usual : baseOf(address);
  if (baseUrl.includes('{region}')) throw new BadSettings(`AWS_REGION: '${provider}' needs it, for example eu-central-1`);
  if (baseUrl.includes('{')) throw new BadSettings(`LLM_ENDPOINT: '${provider}' has an address of your own; set it`);
  const common = { provider: known?.id ?? 'endpoint', format: format as Format, baseUrl };
  if (format !== 'bedrock') return { ...common, dialect, key, aws: undefined };
  // Long-lived keys of this service are sent as they are; all others sign.
  const bearer = key ?? text('AWS_BEARER_TOKEN_BEDROCK');
  if (bearer !== undefined) return { ...common, dialect: { ...dialect, auth: 'bearer' }, key: bearer, aws: undefined };
  return { ...common, dialect, key: undefined, aws: awsOf(text, region) };
}

/** The keys of an account; temporary ones come with a session token. */
function awsOf(text: Text, region: string | undefined): AwsKeys {
  const [accessKeyId, secretAccessKey] = [text('AWS_ACCESS_KEY_ID'), text('AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId === undefined || secretAccessKey === undefined || region === undefined) {
    throw new BadSettings('set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK');
  }
  return { region, accessKeyId, secretAccessKey, sessionToken: text('AWS_SESSION_TOKEN') };
}

/** Many write down the whole address of the chat route; the codecs want what stands before it. */
function baseOf(address: string): string {
  if (!URL.canParse(address)) throw new BadSettings(`LLM_ENDPOINT: '${address}' is no URL`);
  return address.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
}
