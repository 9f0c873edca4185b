// How cards of calls learn what a call was granted, wherever they stand on the page.

import type { InjectionKey } from 'vue';

import type { Granted } from '../core/grants.ts';

/** What is known of a call at the point of the run that is shown. Where nobody provides it, cards say nothing of it. */
export const GRANTED: InjectionKey<(call: number) => Granted | null> = Symbol('granted');
