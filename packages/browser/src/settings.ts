// The settings of the build. A page must not choose for itself where it connects, so the same list of hosts is in its
// Content-Security-Policy.

import type { Format } from 'holm/kernel';

/** A model file with its adapter. */
export interface ModelFiles {
  model: string;
  sha256: string;
  adapter: string | undefined;
}

export interface Settings {
  files: ModelFiles;
  /** The edge or server endpoint, if there is one. */
  endpoint: string | undefined;
  endpointModel: string;
  /** The format of the endpoint, if it is a provider and not an edge host. */
  endpointFormat: Format | undefined;
  /** The URL of this page's short-lived token for the endpoint. */
  tokenUrl: string | undefined;
  /** The grants of `fetch_url` and MCP servers. */
  grants: string[];
  mcp: { name: string; url: string }[];
  webLlmModel: string;
}

declare const __HOLM__: Settings;

export const settings: Settings = __HOLM__;
