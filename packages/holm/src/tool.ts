// Tools: a declaration for the kernel and a function for the host.

import { json, Raw } from './text.js';
import type { Json, ToolDeclaration, ToolOutput } from './types.js';

/** The used parts of Standard Schema, which Zod, Valibot and ArkType implement. */
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

/** The context of a running tool. */
export interface ToolContext {
  call: number;
  /** The idempotency key: the same for the same call of the same run, even after a crash. */
  key: string;
  signal: AbortSignal;
  /** The time in milliseconds at which the call is stopped. */
  deadline: number;
  /** Whether the call may have run before, with a lost result. */
  again: boolean;
  /** The arguments as canonical JSON text, with every digit. */
  text: string;
}

/** The declaration of a tool, with all options of the kernel. */
export interface ToolOptions<Arguments> extends Omit<ToolDeclaration, 'schema' | 'description'> {
  description: string;
  /** The arguments: a Standard Schema, or plain JSON Schema (an object, or text marked with `raw`). */
  input: StandardSchema<Arguments> | { [name: string]: Json } | Raw;
  /** The JSON Schema, for Standard Schemas that cannot convert themselves. */
  jsonSchema?: { [name: string]: Json } | Raw;
  /** Runs the tool. Returns text, an `output`, or any JSON value. An error it throws is a failed call. */
  run(args: Arguments, context: ToolContext): unknown;
}

/** A tool for the driver. */
export interface Tool {
  declaration: ToolDeclaration;
  run(context: ToolContext): Promise<ToolOutput>;
}

/** Creates a tool. */
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

/** A result with more than text, such as a failure or marks. */
export class Output {
  constructor(readonly value: ToolOutput) {}
}

/** Creates a result with more than text. */
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
  throw new TypeError(`cannot get a JSON Schema from the input of tool ${name}; set jsonSchema`);
}

// The kernel has already checked the arguments against the JSON Schema; this applies the defaults, transformations and refinements of
// the author's schema.
async function argumentsOf(input: object, value: unknown): Promise<unknown> {
  if (!('~standard' in input)) return value;
  const result = await (input as StandardSchema)['~standard'].validate(value);
  if (!result.issues) return result.value;
  const problems = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((step) => String(typeof step === 'object' && step ? (step as { key: unknown }).key : step));
    return path.length ? `${path.join('.')}: ${issue.message}` : issue.message;
  });
  throw new Error(`invalid arguments: ${problems.join('; ')}`);
}
