// Form fields from a JSON Schema: for the flat schemas of MCP servers' questions, and for trying a tool.

import { asObject } from './json.ts';

export interface FormField {
  name: string;
  title: string;
  description: string;
  kind: 'text' | 'number' | 'integer' | 'boolean';
  choices: string[];
  required: boolean;
}

/** The most fields of one form; no honest server needs more. */
const MAX_FIELDS = 50;

/** The fields of a schema; an unknown type becomes a text field. */
export function fieldsOf(schema: unknown): FormField[] {
  const object = asObject(schema);
  const properties = asObject(object?.['properties']);
  if (properties === null) return [];
  const required = Array.isArray(object?.['required']) ? object['required'] : [];
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => {
      const of = asObject(value) ?? {};
      const kind = of['type'] === 'number' || of['type'] === 'integer' || of['type'] === 'boolean' ? of['type'] : 'text';
      const choices = Array.isArray(of['enum']) ? of['enum'].filter((choice): choice is string => typeof choice === 'string') : [];
      const word = (key: string): string => (typeof of[key] === 'string' ? of[key] : '');
      return { name, title: word('title') || name, description: word('description'), kind, choices, required: required.includes(name) };
    });
}

/** Whether fields can express the whole schema; they cannot express lists and objects. */
export function isFlat(schema: unknown): boolean {
  const properties = asObject(asObject(schema)?.['properties']);
  if (properties === null) return true;
  return Object.values(properties).every((value) => ['string', 'number', 'integer', 'boolean'].includes(String(asObject(value)?.['type'])));
}

/** The values of the fields in the schema's types, without empty fields. */
export function valuesOf(fields: readonly FormField[], given: Record<string, string | boolean>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, kind, required } of fields) {
    const value = given[name];
    if (kind === 'boolean') {
      if (value !== undefined || required) values[name] = value === true;
    }
    else if (value !== undefined && value !== '') values[name] = kind === 'text' ? String(value) : Number(value);
  }
  return values;
}
