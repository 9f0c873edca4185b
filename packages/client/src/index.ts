// Drives Holm's agents over the API of `holm serve`. Nothing here needs Node; `holm-client/node` starts servers and serves tools.

export type * as api from './api-types.js';
export type { Ending, Event, Message, Numbered } from './event-types.js';
export { type ConnectOptions, Holm, type RequestOptions, type ToolOffer } from './client.js';
export { ApiError, ConnectionLost, HolmError, RunError, StartError } from './errors.js';
export * from './frames.js';
export { type Answers, type Reply, Session } from './session.js';
