// A CodeMirror editor in a shadow root. There its styles are constructed style sheets and not elements, which the content
// security policy would block.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { EditorState, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, keymap, lineNumbers } from '@codemirror/view';

import { highlight } from '../core/highlight.ts';

const editorTheme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '14px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--raised)', border: '0' },
  '.c-keyword': { color: 'var(--keyword)' },
  '.c-string': { color: 'var(--string)' },
  '.c-number': { color: 'var(--number)' },
  '.c-comment': { color: 'var(--comment)' },
});

export interface TextEditor {
  text(): string;
  focus(): void;
  /** Removes the editor from the page. */
  close(): void;
}

export interface EditorOptions {
  /** The extension of the file name. */
  language: string;
  readOnly: boolean;
  label: string;
  changed: () => void;
  save: () => void;
}

/** Opens an editor for a text in `box`. */
export function openEditor(box: HTMLElement, text: string, options: EditorOptions): TextEditor {
  const host = document.createElement('div');
  host.className = 'code-host';
  box.replaceChildren(host);
  const root = host.attachShadow({ mode: 'open' });
  const extensions = [
    lineNumbers(),
    history(),
    keymap.of([{ key: 'Mod-s', preventDefault: true, run: () => (options.save(), true) }, ...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorState.readOnly.of(options.readOnly),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': options.label }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.changed();
    }),
    highlighter(options.language),
    editorTheme,
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  return {
    text: () => view.state.doc.toString(),
    focus: () => view.focus(),
    close: () => {
      view.destroy();
      box.replaceChildren();
    },
  };
}

/** Highlights the visible lines. A string over several lines is highlighted only if its first line is visible. */
function highlighter(language: string): ViewPlugin<{ decorations: DecorationSet; update(update: ViewUpdate): void }> {
  const marks = Object.fromEntries(['keyword', 'string', 'number', 'comment'].map((kind) => [kind, Decoration.mark({ class: `c-${kind}` })]));
  const draw = (view: EditorView): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to } of view.visibleRanges) {
      let at = from;
      for (const { kind, text } of highlight(view.state.sliceDoc(from, to), language)) {
        const mark = marks[kind];
        if (mark !== undefined && text.length > 0) builder.add(at, at + text.length, mark);
        at += text.length;
      }
    }
    return builder.finish();
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = draw(view);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.decorations = draw(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
