// The metadata of a tool result: language, change counts, tables, charts. It comes from a tool, so the code checks the shape
// of every value.

import { asObject } from './json.ts';

export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface Chart {
  title: string;
  bars: { name: string; value: number; label: string }[];
}

export interface ToolMetadata {
  language: string | null;
  changed: { added: number; removed: number; files: number | null } | null;
  table: Table | null;
  chart: Chart | null;
  /** All of the metadata as JSON text. */
  whole: string;
}

/** The most rows, columns or bars that are shown. */
const MAX_ENTRIES = 200;

/** The parts that the page can show; null without metadata. A sandboxed tool's own metadata is under the key `tool`. */
export function readMetadata(metadata: unknown): ToolMetadata | null {
  if (metadata === null || metadata === undefined) return null;
  const all = asObject(metadata) ?? {};
  const own = asObject(all['tool']) ?? all;
  return {
    language: typeof own['language'] === 'string' ? own['language'] : null,
    changed: changed(asObject(own['diff_stats'])),
    table: table(own['table']),
    chart: chart(asObject(own['chart'])),
    whole: JSON.stringify(metadata, null, 2),
  };
}

function changed(stats: Record<string, unknown> | null): ToolMetadata['changed'] {
  if (stats === null) return null;
  const number = (...names: string[]): number | null => {
    for (const name of names) if (typeof stats[name] === 'number') return stats[name];
    return null;
  };
  const [added, removed] = [number('additions', 'added', 'insertions'), number('deletions', 'removed')];
  return added === null && removed === null ? null : { added: added ?? 0, removed: removed ?? 0, files: number('files', 'files_changed') };
}

/** `{title, columns, rows}`, or a list of objects whose members are the columns. */
function table(given: unknown): Table | null {
  if (Array.isArray(given)) {
    const rows = given.map(asObject).filter((row) => row !== null).slice(0, MAX_ENTRIES);
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_ENTRIES);
    return columns.length === 0 ? null : { title: '', columns, rows: rows.map((row) => columns.map((name) => cell(row[name]))) };
  }
  const of = asObject(given);
  if (of === null || !Array.isArray(of['columns']) || !Array.isArray(of['rows'])) return null;
  const columns = of['columns'].slice(0, MAX_ENTRIES).map(cell);
  const rows = of['rows'].filter(Array.isArray).slice(0, MAX_ENTRIES).map((row: unknown[]) => columns.map((_, at) => cell(row[at])));
  return { title: cell(of['title']), columns, rows };
}

/** `{title, data: [{name, value}]}`, or `{title, labels, values}`. */
function chart(of: Record<string, unknown> | null): Chart | null {
  if (of === null) return null;
  const pairs = Array.isArray(of['data'])
    ? of['data'].map(asObject).map((one) => [one?.['name'] ?? one?.['label'], one?.['value']])
    : Array.isArray(of['labels']) && Array.isArray(of['values'])
      ? of['labels'].map((name, at) => [name, (of['values'] as unknown[])[at]])
      : [];
  const bars = pairs.slice(0, MAX_ENTRIES).flatMap(([name, value]) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? [{ name: cell(name), value, label: value.toLocaleString('en') }] : [],
  );
  return bars.length === 0 ? null : { title: cell(of['title']) || 'Chart', bars };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
