// Provides the grants of calls to the call cards of a page.

import type { InjectionKey } from 'vue';

import type { CallGrants } from '../core/grants.ts';

/** Returns the grants of a call at the shown point of the run. Without a provider, cards show no grants. */
export const CALL_GRANTS: InjectionKey<(call: number) => CallGrants | null> = Symbol('call grants');
