// Notes that outlive a run, stored in this browser.

import { output, tool, type Tool } from 'holm';
import type { RunStore } from '../run-store';

/** The most characters of a note. */
const MAX_CHARS = 2000;

/** The tools `save_note` and `read_notes`. */
export function noteTools(store: RunStore): Tool[] {
  const save = tool<{ text: string }>({
    name: 'save_note',
    description: 'Saves a note.',
    level: 'write',
    input: { type: 'object', properties: { text: { type: 'string', minLength: 1, maxLength: MAX_CHARS } }, required: ['text'] },
    async run({ text }) {
      await store.addNote(text);
      return `saved the note: ${text}`;
    },
  });
  const read = tool({
    name: 'read_notes',
    description: 'Reads all saved notes.',
    level: 'read-only',
    yields: { untrusted: true, private: true },
    repeat: 'idempotent',
    error_text: 'allowed',
    input: { type: 'object', properties: {} },
    async run() {
      const notes = await store.notes();
      if (notes.length === 0) return output({ outcome: 'failed', text: 'no notes yet' });
      return notes.join('\n');
    },
  });
  return [save, read];
}
