// Draws screens of a terminal as one animated SVG, without scripts and without fonts of its own.

const [CELL_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN] = [7.8, 17, 13, 14];
const PALETTE = ['#484f58', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#c9d1d9', '#8b949e', '#ffa198', '#aff5b4', '#f2cc60', '#a5d6ff', '#e2c5ff', '#b3f0ff', '#ffffff'];
const [FOREGROUND, BACKGROUND] = ['#c9d1d9', '#0d1117'];

const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Applies one SGR sequence to a style. */
function applySgr(style, codes) {
  const list = codes === '' ? [0] : codes.split(';').map(Number);
  for (let at = 0; at < list.length; at += 1) {
    const code = list[at];
    if (code === 0) Object.assign(style, { bold: false, reverse: false, color: null, background: null });
    else if (code === 1) style.bold = true;
    else if (code === 22) style.bold = false;
    else if (code === 7) style.reverse = true;
    else if (code === 27) style.reverse = false;
    else if (code === 39) style.color = null;
    else if (code === 49) style.background = null;
    else if (code >= 30 && code <= 37) style.color = PALETTE[code - 30];
    else if (code >= 90 && code <= 97) style.color = PALETTE[code - 82];
    else if (code >= 40 && code <= 47) style.background = PALETTE[code - 40];
    else if ((code === 38 || code === 48) && list[at + 1] === 5) {
      style[code === 38 ? 'color' : 'background'] = PALETTE[list[at + 2]] ?? FOREGROUND;
      at += 2;
    }
  }
}

/** The runs of equal style in each row of a captured screen. A style lasts beyond the end of its row. */
export function parseScreen(screen) {
  const style = { bold: false, reverse: false, color: null, background: null };
  return screen.split('\n').map((line) => {
    const runs = [];
    let column = 0;
    for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
      const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
      if (codes !== undefined) applySgr(style, codes);
      else if (part !== '') {
        runs.push({ ...style, column, text: part });
        column += [...part].length;
      }
    }
    return runs;
  });
}

function drawRow(runs, row) {
  const y = MARGIN + row * LINE_HEIGHT;
  const out = [];
  for (const { column, text, bold, reverse, color, background } of runs) {
    const [front, back] = reverse ? [background ?? BACKGROUND, color ?? FOREGROUND] : [color ?? FOREGROUND, background];
    const [x, width] = [MARGIN + column * CELL_WIDTH, [...text].length * CELL_WIDTH];
    if (back !== null) out.push(`<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${LINE_HEIGHT}" fill="${back}"/>`);
    if (text.trim() === '') continue;
    // The width is given, because a reader's font may be wider than a cell.
    const weight = bold ? ' font-weight="700"' : '';
    out.push(`<text x="${x.toFixed(1)}" y="${y + 13}" textLength="${width.toFixed(1)}" fill="${front}"${weight}>${escapeXml(text)}</text>`);
  }
  return out.join('');
}

/** One SVG of frames `{ screen, seconds }`. A row that does not change is drawn once. Without motion, the last frame is shown. */
export function drawCast({ frames, columns, rows, title }) {
  const starts = frames.map((_, at) => frames.slice(0, at).reduce((sum, { seconds }) => sum + seconds, 0));
  const total = starts.at(-1) + frames.at(-1).seconds;
  const screens = frames.map(({ screen }) => parseScreen(screen));
  const [body, rules] = [[], []];
  for (let row = 0; row < rows; row += 1) {
    const drawn = screens.map((screen) => drawRow(screen[row] ?? [], row));
    for (let from = 0; from < drawn.length; ) {
      let to = from + 1;
      while (to < drawn.length && drawn[to] === drawn[from]) to += 1;
      if (drawn[from] !== '') {
        const name = intervalOf(rules, starts[from] / total, to === drawn.length ? 1 : starts[to] / total);
        body.push(`<g class="${name}${to === drawn.length ? ' last' : ''}">${drawn[from]}</g>`);
      }
      from = to;
    }
  }
  const [width, height] = [Math.ceil(2 * MARGIN + columns * CELL_WIDTH), 2 * MARGIN + rows * LINE_HEIGHT];
  const style = [
    `text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}`,
    `g{opacity:0;animation-duration:${total.toFixed(1)}s;animation-timing-function:step-end;animation-iteration-count:infinite}`,
    ...rules.map(({ name, from, to }) => `.${name}{animation-name:${name}}@keyframes ${name}{0%{opacity:${from === 0 ? 1 : 0}}${percent(from)}{opacity:1}${to === 1 ? '' : `${percent(to)}{opacity:0}`}}`),
    '@media (prefers-reduced-motion:reduce){g[class]{animation-name:none}g.last{opacity:1}}',
  ].join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}"><title>${escapeXml(title)}</title><style>${style}</style><rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>\n${body.join('\n')}\n</svg>\n`;
}

const percent = (part) => `${(part * 100).toFixed(2)}%`;

/** The class of an interval; equal intervals share one. */
function intervalOf(rules, from, to) {
  const known = rules.find((rule) => rule.from === from && rule.to === to);
  if (known !== undefined) return known.name;
  const name = `i${rules.length}`;
  rules.push({ name, from, to });
  return name;
}
