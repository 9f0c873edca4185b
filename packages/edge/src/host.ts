// What differs between the platforms, handed in: nothing here asks which one it is.

import type { Connect, Resolve } from 'holm/web';
import type { Keep } from './keep.js';
import type { Settings } from './settings.js';

/** One host at work. */
export interface Host {
  settings: Settings;
  /** Looks names up, where the platform can. */
  resolve?: Resolve;
  /** Connects to the addresses that were looked up, where the platform can. */
  connect?: Connect;
  /** Where journals are kept, if they are. */
  keep?: Keep;
}
