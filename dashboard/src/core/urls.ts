// Which addresses of a model's text may become links. A link is followed by a person and by nobody else; nothing is
// fetched to draw it.

const KINDS = new Set(['http:', 'https:', 'mailto:']);

/** The longest address that is made a link; a longer one carries something out. */
const LONGEST = 2_048;

/** The address as it would be opened; none where it must stay text. */
export function linkTarget(given: string): string | null {
  // Browsers drop these before they read the scheme, so `java\nscript:` would be one.
  if (given.length > LONGEST || /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u.test(given)) return null;
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return null;
  }
  if (!KINDS.has(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url.href;
}

/** Where a link leads, in a word: its host, or the address of a mail. */
export function destination(href: string): string {
  const url = new URL(href);
  return url.protocol === 'mailto:' ? url.pathname : url.host;
}

/** Whether an address is of a site, which may have pictures. */
export function isSite(href: string): boolean {
  return /^https?:/.test(href);
}

/** Media types whose bytes are drawn as a picture. SVG is a document and may hold anything, so it is not among them. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

/** What a file holds by the end of its name, if it is a picture that is drawn. */
export function pictureType(path: string): string | null {
  const [, end] = /\.([a-z0-9]+)$/i.exec(path) ?? [];
  const type = `image/${end?.toLowerCase() === 'jpg' ? 'jpeg' : end?.toLowerCase()}`;
  return isPicture(type) ? type : null;
}

/** Whether content of this type is drawn. */
export function isPicture(mediaType: string): boolean {
  return PICTURES.has(mediaType.toLowerCase().split(';')[0]?.trim() ?? '');
}
