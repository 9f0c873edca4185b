// What was said when the page was built. A page cannot be trusted to choose for itself where it may connect to, so the same list is in
// its Content-Security-Policy.

import type { Format } from 'holm/kernel';

/** A model file with its adapter. */
export interface Files {
  model: string;
  sha256: string;
  adapter: string | undefined;
}

/** Everything that a build fixes. */
export interface Settings {
  files: Files;
  /** The edge or server endpoint, if there is one. */
  endpoint: string | undefined;
  endpointModel: string;
  /** What the endpoint speaks, where it is a service of its own and no edge host. */
  endpointFormat: Format | undefined;
  /** Where this page gets its short-lived token for the endpoint. */
  tokenUrl: string | undefined;
  /** What `fetch_url` and MCP servers may reach. */
  grants: string[];
  mcp: { name: string; url: string }[];
  webLlmModel: string;
}

declare const __HOLM__: Settings;

/** The settings of this build. */
export const settings: Settings = __HOLM__;
