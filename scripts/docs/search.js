// Search in the browser: every word of the query must begin a word of the section. Words in titles and
// headings count more than words in the text.

(function () {
  'use strict';

  const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

  /** How well a section answers: 0 if a word is missing. */
  function scoreOf(entry, query) {
    const [title, heading, text] = [wordsOf(entry.title), wordsOf(entry.heading), wordsOf(entry.text)];
    let score = 0;
    for (const word of query) {
      const count = (words) => words.filter((one) => one.startsWith(word)).length;
      const found = 12 * Math.min(count(title), 1) + 8 * Math.min(count(heading), 1) + Math.min(count(text), 5);
      if (found === 0) return 0;
      score += found;
    }
    return score;
  }

  /** The best sections for a query, best first. */
  function search(entries, query, most) {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const found = entries.map((entry) => ({ entry, score: scoreOf(entry, words) })).filter(({ score }) => score > 0);
    found.sort((a, b) => b.score - a.score || a.entry.page.localeCompare(b.entry.page));
    return found.slice(0, most).map(({ entry }) => entry);
  }

  /** The words around the first match. */
  function excerptOf(text, query) {
    const first = wordsOf(query)[0] ?? '';
    const at = Math.max(0, text.toLowerCase().indexOf(first) - 40);
    return `${at > 0 ? '…' : ''}${text.slice(at, at + 140)}${text.length > at + 140 ? '…' : ''}`;
  }

  globalThis.holmSearch = search;
  if (typeof document === 'undefined') return;

  const input = document.getElementById('search');
  const list = document.getElementById('results');
  const show = () => {
    const found = search(globalThis.holmIndex, input.value, 10);
    list.replaceChildren(...found.map((entry) => {
      const link = document.createElement('a');
      link.href = `${globalThis.holmBase}${entry.page}${entry.anchor === '' ? '' : `#${entry.anchor}`}`;
      const name = document.createElement('strong');
      name.textContent = entry.heading === '' || entry.heading === entry.title ? entry.title : `${entry.title}: ${entry.heading}`;
      const excerpt = document.createElement('span');
      excerpt.textContent = excerptOf(entry.text, input.value);
      link.append(name, excerpt);
      const item = document.createElement('li');
      item.append(link);
      return item;
    }));
    if (found.length === 0 && input.value.trim() !== '') {
      const item = document.createElement('li');
      item.textContent = 'No page has all of these words.';
      list.append(item);
    }
    list.hidden = input.value.trim() === '';
  };
  input.addEventListener('input', show);
  input.form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    } else if (event.key === 'Escape') {
      input.value = '';
      show();
    }
  });
})();
