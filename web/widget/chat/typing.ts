/** Who types: the company, and this visitor. */
import { createStore } from '../../browser/store.ts';
import { showTyping } from '../api/operations.ts';
import { thread } from './thread.ts';
import { asKnownVisitor } from './visitor.ts';

/** The name of who types, "" for somebody without a name; null when nobody does. */
export const typist = createStore<string | null>(null);

/** Somebody whose end of typing was lost is no longer shown after this time. */
const SHOWN_MS = 20_000;
let shownTimer: ReturnType<typeof setTimeout> | undefined;

export function showTypist(name: string | null): void {
  clearTimeout(shownTimer);
  typist.set(name);
  if (name !== null) shownTimer = setTimeout(() => typist.set(null), SHOWN_MS);
}

/** How often the platform hears that the visitor still types, and after which pause that they do no more. */
const REPEAT_MS = 5_000;
const PAUSE_MS = 6_000;
let saidAt = 0;
let pauseTimer: ReturnType<typeof setTimeout> | undefined;

export function noteTyping(isEmpty: boolean): void {
  clearTimeout(pauseTimer);
  if (isEmpty) return stopTyping();
  pauseTimer = setTimeout(stopTyping, PAUSE_MS);
  // Before the first message there is no conversation in which somebody could see it.
  if (thread.get().messages.length === 0 || Date.now() - saidAt < REPEAT_MS) return;
  saidAt = Date.now();
  say('TYPING');
}

/** A message that was sent ends the typing by itself. */
export function forgetTyping(): void {
  clearTimeout(pauseTimer);
  saidAt = 0;
}

function stopTyping(): void {
  if (saidAt !== 0) say('IDLE');
  forgetTyping();
}

function say(state: 'TYPING' | 'IDLE'): void {
  // Failure policy: it may be lost; the next one is told anew.
  asKnownVisitor((token) => showTyping(token, state)).catch(() => undefined);
}
