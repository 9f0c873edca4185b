// Notes that outlive a run, in this browser alone.

import { output, tool, type Tool } from 'holm';
import type { Store } from '../store';

/** Characters of one note. */
const MOST_CHARS = 2000;

/** The tools `save_note` and `read_notes`. */
export function noteTools(store: Store): Tool[] {
  const save = tool<{ text: string }>({
    name: 'save_note',
    description: 'Saves a note.',
    level: 'write',
    input: { type: 'object', properties: { text: { type: 'string', minLength: 1, maxLength: MOST_CHARS } }, required: ['text'] },
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
      if (notes.length === 0) return output({ outcome: 'failed', text: 'there are no notes yet' });
      return notes.join('\n');
    },
  });
  return [save, read];
}
