/**
 * Messages on their way to the platform. They are shown at once. Texts are kept in the browser until the platform has them, and each is sent
 * with its own id, so that a repeat after a lost connection, a reload or in another tab stores it once.
 */
import { findPauseMs } from '../../../sdk/src/attempts.ts';
import { createStore, keep, listKept } from '../../browser/store.ts';
import { keptFor } from '../address.ts';
import { sendFile, sendText, type NewFile, type NewText } from '../api/operations.ts';
import { findRefusal } from '../api/refusals.ts';
import type { ChatMessage } from '../api/types.ts';
import { answers } from './answers.ts';
import { showMessages } from './thread.ts';
import { asVisitor, noteConversation } from './visitor.ts';

export interface Outgoing {
  id: string;
  /** A file is kept in memory only. */
  content: Omit<NewText, 'client_id'> | Omit<NewFile, 'client_id'>;
  createdAt: string;
  /** The code of the refusal; null while the message is on its way. */
  refusal: string | null;
}

const KEPT_AS = keptFor('outbox');
/** The platform takes no message twice within this time; an older one is shown as not sent. */
const LIFE_MS = 7 * 86_400_000;

export const outbox = createStore<readonly Outgoing[]>(readOutbox());
/** The message of this tab that the platform has stored last; the other tabs do not have it. */
export const lastSent = createStore<ChatMessage | null>(null);
/** The last attempt has found no connection. */
export const isWaiting = createStore(false);

function readOutbox(): Outgoing[] {
  const kept = listKept(`${KEPT_AS}.`).flatMap((text) => parse(text) ?? []);
  const young = kept.filter(({ createdAt }) => Date.now() - Date.parse(createdAt) < LIFE_MS);
  return young.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

function parse(text: string): Outgoing | null {
  try {
    return JSON.parse(text) as Outgoing;
  } catch {
    // Failure policy: what cannot be read was not written by this page.
    return null;
  }
}

const keepOutgoing = (outgoing: Outgoing): void =>
  'file' in outgoing.content ? undefined : keep(`${KEPT_AS}.${outgoing.id}`, JSON.stringify(outgoing));

function put(outgoing: Outgoing): void {
  keepOutgoing(outgoing);
  const all = outbox.get();
  const isThere = all.some(({ id }) => id === outgoing.id);
  outbox.set(isThere ? all.map((each) => (each.id === outgoing.id ? outgoing : each)) : [...all, outgoing]);
}

export function discard(id: string): void {
  keep(`${KEPT_AS}.${id}`, null);
  outbox.set(outbox.get().filter((each) => each.id !== id));
}

export const emptyOutbox = (): void => {
  for (const { id } of outbox.get()) discard(id);
};

/** Forgets what the platform has stored. */
export function discardStored(messages: readonly ChatMessage[]): void {
  const stored = new Set(messages.map(({ client_id }) => client_id));
  for (const { id } of outbox.get()) if (stored.has(id)) discard(id);
}

/** crypto.randomUUID() does not exist in pages that came by plain http, so the id is made of random bytes. */
function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const marked = bytes.map((byte, at) => (at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte));
  const digits = Array.from(marked, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Every message brings the answers until one is stored, because the platform may refuse the first one. It stores them once. */
function withAnswers(content: Outgoing['content']): Outgoing['content'] {
  const given = answers.get() ?? {};
  return Object.keys(given).length === 0 ? content : { ...content, answers: given };
}

/** Sends something new. */
export function post(content: Outgoing['content']): void {
  put({ id: makeId(), content: withAnswers(content), createdAt: new Date().toISOString(), refusal: null });
  void sendWaiting();
}

/** Sends what the platform has refused before. */
export function postAgain(outgoing: Outgoing): void {
  put({ ...outgoing, content: withAnswers(outgoing.content), refusal: null });
  void sendWaiting();
}

let isSending = false;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Sends one message after the other in the order in which they were written. */
export async function sendWaiting(): Promise<void> {
  if (isSending) return;
  isSending = true;
  clearTimeout(timer);
  try {
    for (;;) {
      const next = outbox.get().find(({ refusal }) => refusal === null);
      if (!next || !(await send(next))) return;
    }
  } finally {
    isSending = false;
  }
}

/** Returns false when the message has to be sent later. */
async function send(outgoing: Outgoing): Promise<boolean> {
  const { id, content } = outgoing;
  try {
    const message = await asVisitor((token) =>
      'file' in content
        ? sendFile(token, { client_id: id, ...content })
        : sendText(token, { client_id: id, ...content }),
    );
    showMessages([message]);
    lastSent.set(message);
    discard(id);
    noteConversation();
    answers.set(null);
    failures = 0;
    isWaiting.set(false);
    return true;
  } catch (error) {
    const refusal = findRefusal(error);
    // The stream may have brought the message meanwhile.
    if (refusal !== null) {
      if (outbox.get().some((each) => each.id === id)) put({ ...outgoing, refusal });
      return true;
    }
    // Failure policy: a platform that is not reached, busy or restarting is tried again for ever; the page says so.
    failures += 1;
    isWaiting.set(true);
    timer = setTimeout(() => void sendWaiting(), findPauseMs(failures, undefined));
    return false;
  }
}
