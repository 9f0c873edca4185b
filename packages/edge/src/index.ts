// The edge host: one fetch handler, the same on Deno and on workerd.

export { handler, type Handler } from './handler.js';
export { readSettings, BadSettings, type Environment, type Settings } from './settings.js';
export { Keep, type Chunks } from './keep.js';
