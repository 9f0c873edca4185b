// The agent.rs protocol: strings in, strings out, under its own names.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';

export { load, ready } from './load.js';

/** A new state. */
export const create_agent_state = (query: string): string => call(() => wasm.create_agent_state(query));

/** One decision: JSON `{state_json, model_output}` in, JSON `{state_json, decision}` out. */
export const run_agent_step = (input_json: string): string => call(() => wasm.run_agent_step(input_json));

/** The state after a tool's result `{success, output, error?}`. */
export const apply_tool_result = (state_json: string, tool_result_json: string): string =>
  call(() => wasm.apply_tool_result(state_json, tool_result_json));

/** The state after a skill's result `{success, output?, error?}`. */
export const apply_skill_result = (state_json: string, skill_result_json: string): string =>
  call(() => wasm.apply_skill_result(state_json, skill_result_json));

/** Whether a tool's result is plausible: `{type: "accept"}` or `{type: "reject", reason}`. */
export const check_tool_result = (tool_result_json: string): string =>
  call(() => wasm.check_tool_result(tool_result_json));

/** Whether a skill's reply holds: JSON `{skill, params, model_output}` in, a skill result out. */
export const check_skill_reply = (input_json: string): string => call(() => wasm.check_skill_reply(input_json));
