// The parts that differ between the platforms.

import type { Connect, Resolve } from 'holm/web';
import type { JournalStore } from './journal-store.js';
import type { Settings } from './settings.js';

export interface Host {
  settings: Settings;
  /** Resolves names, if the platform can. */
  resolve?: Resolve;
  /** Connects to resolved addresses, if the platform can. */
  connect?: Connect;
  /** The store for journals, if there is one. */
  keep?: JournalStore;
}
