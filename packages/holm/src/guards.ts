// The kernel's guards, for hosts that use them outside of a run. All rules are in Rust.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { json, Raw } from './text.js';
import type { Contract, Expectation, Json, Postcondition, Ruling, Violation } from './types.js';

/** A JSON value, or JSON text marked with `raw`. */
export type Value = Json | Raw;

/** Whether a tool's output is plausible. */
export function plausibility(outcome: 'succeeded' | 'failed', output: string, expectation: Expectation = {}): Ruling {
  return JSON.parse(call(() => wasm.plausibility(outcome, output, json(expectation)))) as Ruling;
}

/** The result of a repair; `arguments` is canonical JSON text. */
export type Repaired = { valid: { arguments: string; fixes: string[] } } | { invalid: { message: string } };

/** A compiled JSON Schema. */
export class Schema {
  readonly #schema: wasm.Schema;

  constructor(schema: Value) {
    this.#schema = call(() => new wasm.Schema(json(schema)));
  }

  /** The violations of a value; empty if it is valid. */
  validate(value: Value): Violation[] {
    return JSON.parse(call(() => this.#schema.validate(json(value)))) as Violation[];
  }

  /** Parses a model's arguments and repairs unambiguous mistakes. */
  repair(text: string): Repaired {
    return JSON.parse(call(() => this.#schema.repair(text))) as Repaired;
  }

  /** The keywords that are not enforced. */
  unsupported(): string[] {
    return JSON.parse(call(() => this.#schema.unsupported())) as string[];
  }
}

/** The result of postconditions for an output. */
export interface Evaluation {
  ruling: Ruling;
  warnings: { guard: string; message: string }[];
  /** The checks that the host must run. */
  checks: Postcondition[];
}

/** Compiled postconditions. */
export class Postconditions {
  readonly #set: wasm.Postconditions;

  constructor(declared: Postcondition[]) {
    this.#set = call(() => new wasm.Postconditions(json(declared)));
  }

  evaluate(outcome: 'succeeded' | 'failed', output: string): Evaluation {
    return JSON.parse(call(() => this.#set.evaluate(outcome, output))) as Evaluation;
  }
}

/** The result of checking a skill's reply. */
export type Checked = { accepted: Json } | { refused: { error: string; correction: string } };

/** A compiled contract skill. */
export class Skill {
  readonly #skill: wasm.Skill;

  constructor(contract: Contract | Raw) {
    this.#skill = call(() => new wasm.Skill(json(contract)));
  }

  /** The prompt for a model. */
  prompt(input: Value): string {
    return call(() => this.#skill.prompt(json(input)));
  }

  /** Checks a reply against the contract. */
  check(input: Value, reply: string): Checked {
    return JSON.parse(call(() => this.#skill.check(json(input), reply))) as Checked;
  }
}

/** The contract of the built-in skill `extract`. */
export const extractContract = (): Contract => JSON.parse(call(() => wasm.extract_contract())) as Contract;
