// The edge host: one fetch handler, the same on Deno and on workerd.

export { handler, type Handler } from './handler.js';
export { readSettings, SettingsError, type Environment, type Settings } from './settings.js';
export { JournalStore, type ChunkStore } from './journal-store.js';
