// Grants: containment, checks of requests and classes of addresses. All rules are in Rust.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { json } from './text.js';

/** Grants, and denials that override them. */
export interface Policy {
  grants?: string[];
  denials?: string[];
}

/** The decision of a policy about a request. */
export type Decision = { granted: string } | { denied: string } | 'missing';

/** The class of an address, who may connect to it, and a description. */
export interface AddressClass {
  class: string;
  reach: 'public' | 'named' | 'never';
  words: string;
}

/** Whether one list contains every grant of another. */
export const contains = (outer: string[], inner: string[]): boolean =>
  call(() => wasm.grants_contain(json(outer), json(inner)));

/** Whether a list allows a request such as `read:src/lib.rs`. */
export const admits = (grants: string[], request: string): boolean =>
  call(() => wasm.grants_admit(json(grants), request));

/** The grants that both lists allow. */
export const meet = (left: string[], right: string[]): string[] =>
  JSON.parse(call(() => wasm.grants_meet(json(left), json(right)))) as string[];

/** Decides about a request. */
export const decide = (policy: Policy, request: string): Decision =>
  JSON.parse(call(() => wasm.policy_decide(json(policy), request))) as Decision;

/** Why a request for a URL must not connect to an address; undefined if it may. */
export const unreachable = (policy: Policy, url: string, address: string): string | undefined =>
  call(() => wasm.policy_reach(json(policy), url, address));

/** The class of an address. */
export const addressClass = (address: string): AddressClass =>
  JSON.parse(call(() => wasm.address_class(address))) as AddressClass;
