// What was said and done, as text. Every word goes through `textContent`: whatever a model, a tool or a page writes stays words.

import type { AgentEvent } from 'holm';
import type { Ending, Event, Message, Proposal, Verdict } from 'holm/kernel';

/** Characters of a tool's result that are shown. */
const SHOWN = 2000;

/** The list of everything that happened. */
export class Log {
  readonly #list: HTMLElement;
  readonly #cards = new Map<number, HTMLElement>();
  #streaming: { call: number; item: HTMLElement } | undefined;

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  /** Begins anew with what a journal says. */
  reset(transcript: Message[]): void {
    this.#list.replaceChildren();
    this.#cards.clear();
    this.#streaming = undefined;
    for (const message of transcript) this.#message(message);
  }

  /** Shows what happens. */
  show(event: AgentEvent): void {
    if (event.type === 'delta') {
      if ('text' in event.delta) this.#stream(event.call, event.delta.text.text);
    } else if (event.type === 'ending') {
      this.#ending(event.ending);
    } else {
      this.#event(event.event);
    }
  }

  /** Says that something went wrong. */
  problem(text: string): void {
    this.#item('problem', text);
  }

  /** Asks the person about a call. Whoever closes the page has not answered. */
  ask(proposal: Proposal, signal: AbortSignal): Promise<Verdict> {
    const item = this.#item('approval', `May ${proposal.tool} run?`);
    item.append(element('pre', proposal.arguments));
    if (proposal.missing.length > 0) item.append(element('p', `It was not granted: ${proposal.missing.join(', ')}`));
    return new Promise((resolve) => {
      const answer = (verdict: Verdict, word: string) => {
        item.replaceChildren(`${proposal.tool}: ${word}`);
        resolve(verdict);
      };
      const allow = element('button', 'Allow');
      const deny = element('button', 'Deny');
      allow.addEventListener('click', () => answer({ allow: {} }, 'allowed'));
      deny.addEventListener('click', () => answer({ deny: { reason: 'the person said no' } }, 'denied'));
      signal.addEventListener('abort', () => answer({ deny: { reason: 'nobody answered in time' } }, 'not answered'), { once: true });
      item.append(allow, deny);
    });
  }

  #event(event: Event): void {
    if (typeof event === 'string') return;
    if ('message_added' in event) this.#message(event.message_added.message);
    if ('withdrawn' in event) this.#withdraw(event.withdrawn.call);
    if ('call_proposed' in event) this.#card(event.call_proposed.call, event.call_proposed.tool, event.call_proposed.arguments);
    if ('call_started' in event) this.#mark(event.call_started.call, 'running');
    if ('call_finished' in event) this.#mark(event.call_finished.call, event.call_finished.outcome);
    if ('ruled' in event) {
      const { guard, rejected, reason } = event.ruled;
      this.#item('ruling', `${guard} ${rejected ? 'refused the result' : 'doubts the result'}: ${reason}`);
    }
    if ('model_failed' in event) this.problem(`The model failed (${event.model_failed.class}): ${event.model_failed.message}`);
  }

  #message({ role, blocks }: Message): void {
    for (const block of blocks) {
      if ('text' in block && block.text !== '') {
        // The words were shown as they came; the whole message takes their place.
        if (role === 'assistant') this.#withdraw(undefined);
        this.#item(role, block.text);
      }
      if ('tool_result' in block) {
        const { tool, text, outcome = 'succeeded' } = block.tool_result;
        const item = this.#item('result', `${tool} (${outcome})`);
        item.append(element('pre', text.slice(0, SHOWN)));
      }
    }
  }

  #stream(call: number, text: string): void {
    if (this.#streaming?.call !== call) this.#streaming = { call, item: this.#item('assistant', '') };
    this.#streaming.item.append(text);
  }

  #withdraw(call: number | undefined): void {
    if (call !== undefined && this.#streaming?.call !== call) return;
    this.#streaming?.item.remove();
    this.#streaming = undefined;
  }

  #card(call: number, tool: string, text: string): void {
    const item = this.#item('call', `${tool} `);
    item.append(element('pre', text), element('small', 'proposed'));
    this.#cards.set(call, item);
  }

  #mark(call: number, state: string): void {
    const small = this.#cards.get(call)?.querySelector('small');
    if (small) small.textContent = state;
  }

  #ending(ending: Ending): void {
    this.#withdraw(undefined);
    if ('answered' in ending) return;
    const [kind, detail] = Object.entries(ending)[0] ?? ['ended', {}];
    this.#item('problem', `${kind.replaceAll('_', ' ')}: ${JSON.stringify(detail)}`);
  }

  #item(kind: string, text: string): HTMLElement {
    const item = element('li', text);
    item.className = kind;
    this.#list.append(item);
    item.scrollIntoView({ block: 'nearest' });
    return item;
  }
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
