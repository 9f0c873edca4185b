// Parses the operator's settings once, into a type that cannot be invalid. Nothing here comes from a request.

import { services, service } from 'holm/catalogue';
import { decide } from 'holm/grants';
import type { AwsKeys } from 'holm';
import type { Format, Level, Mode } from 'holm/kernel';

/** The default limit of a body: a prompt with a journal fits, and more is a mistake or an attack. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The default time limit of a request: workers and proxies rarely allow more. */
const WALL_MS = 60_000;

/** The default number of turns per request. */
const TURNS = 8;

/** The default maximum lifetime of a page's token. */
const TOKEN_SECONDS = 900;

/** What a tool can do, the least first. */
const LEVELS: readonly Level[] = ['none', 'read-only', 'write', 'execute'];

/** Shorter tokens could be guessed. */
const MIN_TOKEN_LENGTH = 16;

/** Variables by name: Deno's environment or a worker's bindings. */
export type Environment = { [name: string]: unknown };

/** A model service. */
export interface Endpoint {
  provider: string;
  format: Format;
  dialect: object;
  baseUrl: string;
  key: string | undefined;
  /** The keys of a service with signed requests. */
  aws: AwsKeys | undefined;
}

/** Who has access. */
export type Access = { kind: 'open' } | { kind: 'token'; token: string };

/** The settings of a host. */
export interface Settings {
  endpoint: Endpoint;
  /** The first is the default of requests. */
  models: string[];
  access: Access;
  /** The origins of pages with access; `*` is not allowed. */
  origins: string[];
  /** The grants of `fetch_url`. */
  grants: string[];
  /** The mode; no user can answer questions here. */
  mode: Mode;
  system: string | undefined;
  mcp: { name: string; url: string }[];
  /** The levels of their tools, by the whole name of each tool. */
  mcpLevels: Record<string, Level>;
  mostBody: number;
  wallMs: number;
  turns: number;
  tokenSeconds: number;
}

/** Invalid settings, which the operator must correct. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Parses the environment; throws a `SettingsError`. */
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
    mcpLevels: Object.fromEntries(list(text('HOLM_MCP_LEVELS') ?? '').map(levelOf)),
    mostBody: count(text('HOLM_MOST_BODY'), 'HOLM_MOST_BODY', MAX_BODY_BYTES),
    wallMs: count(text('HOLM_WALL_MS'), 'HOLM_WALL_MS', WALL_MS),
    turns: count(text('HOLM_TURNS'), 'HOLM_TURNS', TURNS),
    tokenSeconds: count(text('HOLM_TOKEN_SECONDS'), 'HOLM_TOKEN_SECONDS', TOKEN_SECONDS),
  };
}

/** Lists are separated by whitespace or commas. */
const list = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

function count(text: string | undefined, name: string, usual: number): number {
  if (text === undefined) return usual;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number <= 0) throw new SettingsError(`${name} must be a positive integer`);
  return number;
}

function modeOf(text: string | undefined): Mode {
  if (text === undefined || text === 'default') return 'default';
  if (text === 'full') return 'full';
  throw new SettingsError("HOLM_MODE must be 'default' or 'full'");
}

function accessOf(token: string | undefined, open: string | undefined): Access {
  if (token !== undefined) {
    if (token.length < MIN_TOKEN_LENGTH) throw new SettingsError(`HOLM_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters`);
    return { kind: 'token', token };
  }
  if (open === 'yes') return { kind: 'open' };
  throw new SettingsError('set HOLM_TOKEN, or HOLM_OPEN=yes for access without a token');
}

function originOf(text: string): string {
  try {
    const url = new URL(text);
    if (url.origin === text && url.origin !== 'null') return text;
  } catch {
    // Reported below.
  }
  throw new SettingsError(`HOLM_ORIGINS: '${text}' is not an origin; example: https://app.example.com`);
}

function serverOf(text: string): { name: string; url: string } {
  const at = text.indexOf('=');
  const [name, url] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[A-Za-z0-9-]+$/.test(name) || !URL.canParse(url)) {
    throw new SettingsError(`HOLM_MCP: '${text}' is not a valid server; example: docs=https://docs.example.com/mcp`);
  }
  return { name, url };
}

/** A tool's level, as in `docs_search=read-only`. */
function levelOf(text: string): [string, Level] {
  const [tool = '', level = ''] = text.split('=');
  const known = LEVELS.find((one) => one === level);
  if (tool === '' || known === undefined) {
    throw new SettingsError(`HOLM_MCP_LEVELS: '${text}' is not a tool and its level; example: docs_search=read-only`);
  }
  return [tool, known];
}

function checkGrants(grants: string[]): void {
  try {
    decide({ grants }, 'fetch:https://example.com/');
  } catch (error) {
    throw new SettingsError(`HOLM_GRANTS: ${error instanceof Error ? error.message : String(error)}`);
  }
  const other = grants.find((grant) => !grant.startsWith('fetch:'));
  if (other) throw new SettingsError(`HOLM_GRANTS: '${other}' is not supported; only fetch: grants are`);
}

/** Reads one variable. */
type ReadVariable = (name: string) => string | undefined;

function endpointOf(text: ReadVariable): Endpoint {
  const [provider, address, key] = [text('LLM_PROVIDER'), text('LLM_ENDPOINT'), text('LLM_API_KEY')];
  if (provider === undefined && address === undefined) {
    throw new SettingsError('set LLM_ENDPOINT to the base URL of a model service, or LLM_PROVIDER to the name of a known one');
  }
  const known = provider === undefined ? undefined : service(provider);
  if (provider !== undefined && !known) {
    throw new SettingsError(`LLM_PROVIDER: '${provider}' is unknown; known providers: ${services.map(({ id }) => id).join(' ')}`);
  }
  const [format, dialect] = Object.entries(known?.speaks ?? { openai_chat: {} })[0] ?? ['openai_chat', {}];
  const region = text('AWS_REGION') ?? text('AWS_DEFAULT_REGION');
  const usual = (known?.base_url ?? '').replace('{region}', region ?? '{region}');
  const baseUrl = address === undefined ? usual : baseOf(address);
  if (baseUrl.includes('{region}')) throw new SettingsError(`set AWS_REGION for '${provider}'; example: eu-central-1`);
  if (baseUrl.includes('{')) throw new SettingsError(`set LLM_ENDPOINT to your own URL of '${provider}'`);
  const common = { provider: known?.id ?? 'endpoint', format: format as Format, baseUrl };
  if (format !== 'bedrock') return { ...common, dialect, key, aws: undefined };
  // API keys of this service are sent as bearer tokens; all other keys sign the request.
  const bearer = key ?? text('AWS_BEARER_TOKEN_BEDROCK');
  if (bearer !== undefined) return { ...common, dialect: { ...dialect, auth: 'bearer' }, key: bearer, aws: undefined };
  return { ...common, dialect, key: undefined, aws: awsOf(text, region) };
}

/** The keys of an AWS account; temporary ones have a session token. */
function awsOf(text: ReadVariable, region: string | undefined): AwsKeys {
  const [accessKeyId, secretAccessKey] = [text('AWS_ACCESS_KEY_ID'), text('AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId === undefined || secretAccessKey === undefined || region === undefined) {
    throw new SettingsError('set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK');
  }
  return { region, accessKeyId, secretAccessKey, sessionToken: text('AWS_SESSION_TOKEN') };
}

/** The base URL. Many operators set the whole URL of the chat route, but the codecs add the route. */
function baseOf(address: string): string {
  if (!URL.canParse(address)) throw new SettingsError(`LLM_ENDPOINT: '${address}' is not a valid URL`);
  return address.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
}
