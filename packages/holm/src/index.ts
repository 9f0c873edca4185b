// Everything but the agent.rs names and the chat-UI stream, which have entry points of their own.

export * from './kernel.js';
export * from './guards.js';
export * from './wire/index.js';
export * as grants from './grants.js';
export { functionModel, type Ask, type Asked, type Model } from './model.js';
export { tool, output, type StandardSchema, type Tool, type ToolContext, type ToolOptions } from './tool.js';
export {
  Agent,
  MemoryJournal,
  runAgent,
  type AgentEvent,
  type AgentOptions,
  type ChildContext,
  type Hooks,
  type Journal,
} from './driver.js';
export { type Blobs } from './spill.js';
