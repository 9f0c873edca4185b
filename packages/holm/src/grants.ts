// Grants: which contain which, what they admit, and where an address leads. Every rule is in Rust.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { json } from './text.js';

/** Grants and what is refused all the same. */
export interface Policy {
  grants?: string[];
  denials?: string[];
}

/** What a policy says of a request. */
export type Decision = { granted: string } | { denied: string } | 'missing';

/** What kind of place an address is, who may open it, and the same in words. */
export interface AddressClass {
  class: string;
  reach: 'public' | 'named' | 'never';
  words: string;
}

/** Whether one list contains every grant of another. */
export const contains = (outer: string[], inner: string[]): boolean =>
  call(() => wasm.grants_contain(json(outer), json(inner)));

/** Whether a list admits a request such as `read:src/lib.rs`. */
export const admits = (grants: string[], request: string): boolean =>
  call(() => wasm.grants_admit(json(grants), request));

/** What both lists allow. */
export const meet = (left: string[], right: string[]): string[] =>
  JSON.parse(call(() => wasm.grants_meet(json(left), json(right)))) as string[];

/** What a policy says of a request. */
export const decide = (policy: Policy, request: string): Decision =>
  JSON.parse(call(() => wasm.policy_decide(json(policy), request))) as Decision;

/** Why a connection for a URL may not go to an address; undefined if it may. */
export const unreachable = (policy: Policy, url: string, address: string): string | undefined =>
  call(() => wasm.policy_reach(json(policy), url, address));

/** What kind of place an address is. */
export const addressClass = (address: string): AddressClass =>
  JSON.parse(call(() => wasm.address_class(address))) as AddressClass;
