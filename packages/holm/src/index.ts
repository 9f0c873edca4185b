// All exports except the agent.rs protocol, the UI message stream, the web tools and the catalogue, which have their own entry points.

export * from './kernel.js';
export * from './guards.js';
export * from './wire/index.js';
export * as grants from './grants.js';
export { functionModel, type ModelCall, type FunctionModelCall, type Model } from './model.js';
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
export { type BlobStore } from './spill.js';
