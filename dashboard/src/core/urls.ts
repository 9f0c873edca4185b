// Decides which URLs in a model's text become links. Only the user follows a link; the page loads nothing to show it.

const LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** Longer URLs stay text, because they may leak data. */
const MAX_URL_LENGTH = 2_048;

/** The normalized URL of a link; null if the text must stay text. */
export function linkTarget(given: string): string | null {
  // Browsers drop these characters before they parse the scheme, so `java\nscript:` would be a script.
  if (given.length > MAX_URL_LENGTH || /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u.test(given)) return null;
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return null;
  }
  if (!LINK_PROTOCOLS.has(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url.href;
}

/** The destination of a link: its host, or its mail address. */
export function destination(href: string): string {
  const url = new URL(href);
  return url.protocol === 'mailto:' ? url.pathname : url.host;
}

/** Whether a URL is a web address, which may be an image. */
export function isSite(href: string): boolean {
  return /^https?:/.test(href);
}

/** Media types that are shown as images. SVG is missing, because an SVG is a document with any content. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

/** The media type by the extension of a file name, if it is an image that can be shown. */
export function pictureType(path: string): string | null {
  const [, end] = /\.([a-z0-9]+)$/i.exec(path) ?? [];
  const type = `image/${end?.toLowerCase() === 'jpg' ? 'jpeg' : end?.toLowerCase()}`;
  return isPicture(type) ? type : null;
}

/** Whether content of this type is shown as an image. */
export function isPicture(mediaType: string): boolean {
  return IMAGE_TYPES.has(mediaType.toLowerCase().split(';')[0]?.trim() ?? '');
}
