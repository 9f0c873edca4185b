// The SVG of a terminal: colours, positions, and when each row is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { drawCast, parseScreen } from './cast.mjs';

test('a style lasts until it is changed, also beyond the end of a row', () => {
  const rows = parseScreen('\x1b[1;38;5;6mname\x1b[0m rest\n\x1b[7mbar\nnext\x1b[0;39m end');
  assert.deepEqual(rows[0].map(({ text, bold, column }) => [text, bold, column]), [['name', true, 0], [' rest', false, 4]]);
  assert.equal(rows[0][0].color, '#76e3ea');
  assert.deepEqual(rows[1].map(({ reverse }) => reverse), [true]);
  assert.deepEqual(rows[2].map(({ text, reverse }) => [text, reverse]), [['next', true], [' end', false]]);
});

test('a row that does not change is drawn once, and one that changes is shown in turn', () => {
  const frames = [{ screen: 'title\none', seconds: 1 }, { screen: 'title\ntwo', seconds: 3 }];
  const svg = drawCast({ frames, columns: 10, rows: 2, title: 'T' });
  const groups = [...svg.matchAll(/<g class="(\w+)( last)?">.*?>(\w+)<\/text><\/g>/g)].map(([, name, last, text]) => [text, name, last !== undefined]);
  assert.deepEqual(groups.map(([text, , last]) => [text, last]), [['title', true], ['one', false], ['two', true]]);
  const rule = (text) => new RegExp(`@keyframes ${groups.find(([one]) => one === text)[1]}\\{(.*?\\})\\}`).exec(svg)[1];
  assert.equal(rule('title'), '0%{opacity:1}0.00%{opacity:1}');
  assert.equal(rule('one'), '0%{opacity:1}0.00%{opacity:1}25.00%{opacity:0}');
  assert.equal(rule('two'), '0%{opacity:0}25.00%{opacity:1}');
});

test('text of the terminal is never markup', () => {
  const svg = drawCast({ frames: [{ screen: '<script>&', seconds: 1 }], columns: 10, rows: 1, title: 'a < b' });
  assert.ok(svg.includes('&lt;script&gt;&amp;') && svg.includes('aria-label="a &lt; b"') && !svg.includes('<script>'));
});
