// Tools: a declaration for the kernel and a function for the host.

import { json, Raw } from './text.js';
import type { Json, ToolDeclaration, ToolOutput } from './types.js';

/** The parts of Standard Schema that are used; Zod, Valibot and ArkType have them. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output };
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: ReadonlyArray<unknown> }> };

/** What a running tool knows. */
export interface ToolContext {
  call: number;
  /** The same for the same call of the same run, also after a crash. */
  key: string;
  signal: AbortSignal;
  /** Milliseconds; the call is stopped then. */
  deadline: number;
  /** Whether it ran before and its answer was lost. */
  again: boolean;
  /** The arguments as canonical JSON text, every digit kept. */
  text: string;
}

/** How a tool is declared. Everything that the kernel knows of tools may be said. */
export interface ToolOptions<Arguments> extends Omit<ToolDeclaration, 'schema' | 'description'> {
  description: string;
  /** The arguments: a Standard Schema, or plain JSON Schema (an object, or text marked with `raw`). */
  input: StandardSchema<Arguments> | { [name: string]: Json } | Raw;
  /** The JSON Schema, for Standard Schemas that cannot give their own. */
  jsonSchema?: { [name: string]: Json } | Raw;
  /** Runs it. Text, an `output`, or anything that can be written as JSON. What it throws is a failed call. */
  run(args: Arguments, context: ToolContext): unknown;
}

/** A tool of the driver. */
export interface Tool {
  declaration: ToolDeclaration;
  run(context: ToolContext): Promise<ToolOutput>;
}

/** Makes a tool. */
export function tool<Arguments = any>(options: ToolOptions<Arguments>): Tool {
  const { input, jsonSchema, run, ...rest } = options;
  const declaration = { ...rest, schema: schemaOf(options.name, input, jsonSchema) as never };
  return {
    declaration,
    async run(context) {
      const value = await argumentsOf(input, JSON.parse(context.text));
      return outputOf(await run(value as Arguments, context));
    },
  };
}

/** A result that says more than text: that it failed, that it ends the run, what it brought in. */
export class Output {
  constructor(readonly value: ToolOutput) {}
}

/** Makes a result that says more than text. */
export const output = (value: ToolOutput): Output => new Output(value);

/** A tool's result in the kernel's form. */
export function outputOf(result: unknown): ToolOutput {
  if (result instanceof Output) return result.value;
  if (result === undefined) return { text: '' };
  return { text: typeof result === 'string' ? result : json(result) };
}

function schemaOf(name: string, input: object, given: object | undefined): unknown {
  if (given) return given;
  if (!('~standard' in input)) return input;
  const own = (input as StandardSchema)['~standard'].jsonSchema?.input;
  if (own) return own({ target: 'draft-2020-12' });
  const method = (input as { toJSONSchema?: () => unknown }).toJSONSchema;
  if (typeof method === 'function') return method.call(input);
  throw new TypeError(`the schema of tool ${name} gives no JSON Schema; pass jsonSchema beside it`);
}

// The kernel has already held the arguments to the JSON Schema; this applies what only the author's own schema
// knows: defaults, transformations, refinements.
async function argumentsOf(input: object, value: unknown): Promise<unknown> {
  if (!('~standard' in input)) return value;
  const result = await (input as StandardSchema)['~standard'].validate(value);
  if (!result.issues) return result.value;
  const told = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((step) => String(typeof step === 'object' && step ? (step as { key: unknown }).key : step));
    return path.length ? `${path.join('.')}: ${issue.message}` : issue.message;
  });
  throw new Error(`invalid arguments: ${told.join('; ')}`);
}
