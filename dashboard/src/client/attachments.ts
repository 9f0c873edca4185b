// Uploads the files of a message as they are attached.

import { type ShallowRef, shallowRef } from 'vue';

import { MAX_ATTACHMENT_BYTES, UPLOAD_FOLDER, uploadPath } from '../core/attachments.ts';
import { bytes } from '../core/format.ts';
import { ApiError } from './api.ts';
import { messageOf } from './async-state.ts';
import { api } from './login.ts';

/** The status for a file or a folder that exists already. */
const CONFLICT = 409;
/** The status for a file whose folder does not exist. */
const NOT_FOUND = 404;
/** How many names are tried for a file whose name is taken. */
const MAX_ATTEMPTS = 50;

export interface Attachment {
  name: string;
  /** The path in the workspace; null until the file is there. */
  path: string | null;
  error: string | null;
}

export interface Attachments {
  list: Readonly<ShallowRef<readonly Attachment[]>>;
  add(files: Iterable<File>): void;
  remove(attachment: Attachment): void;
  clear(): void;
}

export function useAttachments(): Attachments {
  const list = shallowRef<readonly Attachment[]>([]);
  const replace = (old: Attachment, fresh: Attachment): void => {
    list.value = list.value.map((one) => (one === old ? fresh : one));
  };
  const add = (files: Iterable<File>): void => {
    for (const file of files) {
      const attachment: Attachment = { name: file.name, path: null, error: null };
      list.value = [...list.value, attachment];
      upload(file).then(
        (path) => replace(attachment, { ...attachment, path }),
        (error: unknown) => replace(attachment, { ...attachment, error: messageOf(error) }),
      );
    }
  };
  return {
    list,
    add,
    remove: (attachment) => {
      list.value = list.value.filter((one) => one !== attachment);
    },
    clear: () => {
      list.value = [];
    },
  };
}

/** Puts a file into the workspace under a name that is free; returns its path. */
async function upload(file: File): Promise<string> {
  if (file.size > MAX_ATTACHMENT_BYTES) throw new Error(`the file is larger than ${bytes(MAX_ATTACHMENT_BYTES)}`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const path = uploadPath(file.name, attempt);
    try {
      await writeWithFolder(path, file);
      return path;
    } catch (error) {
      if (!hasStatus(error, CONFLICT)) throw error;
    }
  }
  throw new Error('there are too many files of this name');
}

/** Writes a new file, and creates its folder if that is missing. */
async function writeWithFolder(path: string, file: File): Promise<void> {
  try {
    await api().writeFile(path, file, null);
  } catch (error) {
    if (!hasStatus(error, NOT_FOUND)) throw error;
    await api().createFolder(UPLOAD_FOLDER).catch((failure: unknown) => {
      // Another upload has created it in the meantime.
      if (!hasStatus(failure, CONFLICT)) throw failure;
    });
    await api().writeFile(path, file, null);
  }
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
