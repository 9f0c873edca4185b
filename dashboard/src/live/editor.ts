// A text in CodeMirror. It stands in a shadow root: there its styles are sheets and no elements, which is the one way in
// which they come through a policy that allows no style but the server's own files.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { EditorState, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, keymap, lineNumbers } from '@codemirror/view';

import { highlight } from '../core/highlight.ts';

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '14px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--hush)', backgroundColor: 'var(--raised)', border: '0' },
  '.c-word': { color: 'var(--word)' },
  '.c-text': { color: 'var(--text)' },
  '.c-number': { color: 'var(--number)' },
  '.c-remark': { color: 'var(--remark)' },
});

export interface Editing {
  /** What stands there now. */
  text(): string;
  focus(): void;
  /** Takes it away. */
  close(): void;
}

export interface Options {
  /** By the end of the file's name. */
  language: string;
  readOnly: boolean;
  label: string;
  changed: () => void;
  save: () => void;
}

/** Shows a text to be changed, or to be read. */
export function edit(box: HTMLElement, text: string, options: Options): Editing {
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
    colours(options.language),
    look,
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

/** Colours what is in sight, line by line; a text over several lines is coloured where it begins. */
function colours(language: string): ViewPlugin<{ decorations: DecorationSet; update(update: ViewUpdate): void }> {
  const marks = Object.fromEntries(['word', 'text', 'number', 'remark'].map((colour) => [colour, Decoration.mark({ class: `c-${colour}` })]));
  const draw = (view: EditorView): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to } of view.visibleRanges) {
      let at = from;
      for (const { colour, text } of highlight(view.state.sliceDoc(from, to), language)) {
        const mark = marks[colour];
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
