// Files that a user attaches to a message. The server's prompts are text, so a file goes into the workspace and the message names
// it; the agent reads it with its own tools and grants.

/** The folder of the workspace for attached files. */
export const UPLOAD_FOLDER = 'uploads';
/** The largest attached file: the server's own limit for a file of the workspace. */
export const MAX_ATTACHMENT_BYTES = 32 * 1024 * 1024;
/** The longest name that every file system takes, with room for a number. */
const MAX_NAME_LENGTH = 120;

/** The path for an attached file; `attempt` counts up while the path is taken. */
export function uploadPath(name: string, attempt: number): string {
  const plain = name.normalize('NFC').replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+|-+$/g, '').slice(-MAX_NAME_LENGTH) || 'file';
  if (attempt === 0) return `${UPLOAD_FOLDER}/${plain}`;
  const dot = plain.lastIndexOf('.');
  return dot <= 0 ? `${UPLOAD_FOLDER}/${plain}-${attempt + 1}` : `${UPLOAD_FOLDER}/${plain.slice(0, dot)}-${attempt + 1}${plain.slice(dot)}`;
}

/** The message with the paths of its files. */
export function withAttachments(text: string, paths: readonly string[]): string {
  if (paths.length === 0) return text;
  const list = paths.map((path) => `- ${path}`).join('\n');
  return `${text}${text === '' ? '' : '\n\n'}Attached files:\n${list}`;
}
