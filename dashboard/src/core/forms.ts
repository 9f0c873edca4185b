// Fields that an MCP server wants to have filled in, from the flat schemas that the protocol allows.

import { asObject } from './json.ts';

export interface Field {
  name: string;
  title: string;
  description: string;
  kind: 'text' | 'number' | 'integer' | 'boolean';
  choices: string[];
  required: boolean;
}

/** Fields of one form; a server that wants more wants too much. */
const MOST = 50;

/** The fields of a schema; what is not understood is a text. */
export function fieldsOf(schema: unknown): Field[] {
  const object = asObject(schema);
  const properties = asObject(object?.['properties']);
  if (properties === null) return [];
  const required = Array.isArray(object?.['required']) ? object['required'] : [];
  return Object.entries(properties)
    .slice(0, MOST)
    .map(([name, value]) => {
      const of = asObject(value) ?? {};
      const kind = of['type'] === 'number' || of['type'] === 'integer' || of['type'] === 'boolean' ? of['type'] : 'text';
      const choices = Array.isArray(of['enum']) ? of['enum'].filter((choice): choice is string => typeof choice === 'string') : [];
      const word = (key: string): string => (typeof of[key] === 'string' ? of[key] : '');
      return { name, title: word('title') || name, description: word('description'), kind, choices, required: required.includes(name) };
    });
}

/** Whether fields can say everything that the schema asks for; lists and objects cannot be filled in that way. */
export function isFlat(schema: unknown): boolean {
  const properties = asObject(asObject(schema)?.['properties']);
  if (properties === null) return true;
  return Object.values(properties).every((value) => ['string', 'number', 'integer', 'boolean'].includes(String(asObject(value)?.['type'])));
}

/** What was filled in, in the types that the schema asks for; what was left empty is left out. */
export function valuesOf(fields: readonly Field[], given: Record<string, string | boolean>): Record<string, unknown> {
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
