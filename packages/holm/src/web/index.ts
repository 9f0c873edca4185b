// Tools for pages and workers.

export { fetchUrl, type Connect, type FetchUrlOptions, type Redirects, type Resolve } from './fetch-url.js';
export { extractTool } from './extract.js';
export { addressOf, McpServer, type McpOptions } from './mcp.js';
export { nameBeside, renamedNote, type RenamedTool } from './tool-names.js';
export { readBytes, readText, BodyTooLargeError } from './bounded-body.js';
