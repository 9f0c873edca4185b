// A text shown by CodeMirror. It stands in a shadow root: there its styles are sheets and no elements, which is the one way
// in which they come through a policy that allows no style but the server's own files.

import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--sunken)', fontSize: '14px', maxHeight: '70vh' },
  '.cm-scroller': { fontFamily: 'var(--mono)' },
  '.cm-gutters': { color: 'var(--hush)', backgroundColor: 'var(--sunken)', border: '0' },
});

/** Shows a text; what it gives back takes it away. */
export function showText(box: HTMLElement, text: string): () => void {
  const host = document.createElement('div');
  box.replaceChildren(host);
  const root = host.attachShadow({ mode: 'open' });
  const extensions = [lineNumbers(), EditorState.readOnly.of(true), EditorView.lineWrapping, EditorView.contentAttributes.of({ 'aria-label': 'Content' }), look];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  return () => {
    view.destroy();
    box.replaceChildren();
  };
}
