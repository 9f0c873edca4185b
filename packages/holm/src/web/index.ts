// Tools for hosts that have `fetch` and little else: pages and workers.

export { fetchUrl, type Connect, type FetchUrlOptions, type Redirects, type Resolve } from './fetch-url.js';
export { extractTool } from './extract.js';
export { addressOf, McpServer, type McpOptions } from './mcp.js';
export { nameBeside, renamedNote, type Renamed } from './naming.js';
export { readBytes, readText, TooLarge } from './bounded.js';
