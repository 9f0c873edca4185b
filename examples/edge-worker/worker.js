// The whole agent as a worker: settings come from wrangler.json, secrets from `wrangler secret put`. Each run's journal is in a
// Durable Object of its own.
export { default, HolmJournal } from 'holm-edge/worker';
