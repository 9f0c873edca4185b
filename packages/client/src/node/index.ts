// What needs Node: starting servers, and functions as tools.

export { type StartOptions, start } from './start.js';
export { type Tool, serveTools } from './tools.js';
