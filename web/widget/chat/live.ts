/** Brings what happens in the visitor's conversation to this page. All tabs of a browser share one stream. */
import { playSound } from '../../browser/sound.ts';
import { joinTabs } from '../../browser/tabs.ts';
import { INBOX } from '../address.ts';
import { followStream } from '../api/operations.ts';
import type { ChatEvent, ChatMessage } from '../api/types.ts';
import { tellHost } from '../host.ts';
import { isOwn } from './order.ts';
import { discardStored, isWaiting, lastSent, sendWaiting } from './outbox.ts';
import { isOpen, isSeenNow, unread } from './panel.ts';
import { acknowledge } from './receipts.ts';
import { readNewest, showMessages, showUnseen, thread } from './thread.ts';
import { showTypist } from './typing.ts';
import { asKnownVisitor, type Visitor } from './visitor.ts';

/** What tabs tell each other. */
type TabWord = { word: 'event'; event: ChatEvent } | { word: 'unread'; count: number };

/** The pause before the stream is tried again after an answer that the client does not repeat by itself. */
const PAUSE_MS = 10_000;
/** How often the list of messages is fetched while there is no stream. */
const READ_MS = 10_000;
/** A message that is older was brought by a connection that was made again, not written just now. */
const NEW_MS = 60_000;

/** Follows the visitor's conversation until the signal ends. */
export function followChat({ visitor }: Visitor, signal: AbortSignal): void {
  const tabs = joinTabs<TabWord>(`parley-chat:${INBOX}:${visitor}`, {
    signal,
    onWord: (word) => (word.word === 'event' ? take(word.event) : unread.set(word.count)),
    lead,
  });

  function take(event: ChatEvent): void {
    if (event.event === 'message') receive(event.data);
    else if (event.event === 'conversation') showUnseen(event.data.unseen_count);
    else if (event.event === 'typing') showTypist(event.data.is_typing ? (event.data.name ?? '') : null);
    // A stream begins where the conversation is now, so what came before it is read.
    else if (event.event === 'ready' || event.event === 'reset') tryToReadMissed();
  }
  function receive(message: ChatMessage): void {
    const isNew = thread.get().messages.every(({ _id }) => _id !== message._id);
    showMessages([message]);
    discardStored([message]);
    if (isNew && !isOwn(message)) notice(message, tabs.isLeader());
  }
  /** Reads what came while there was no stream. */
  async function readMissed(): Promise<void> {
    const missed = await readNewest();
    discardStored(thread.get().messages);
    for (const message of missed) if (!isOwn(message)) notice(message, tabs.isLeader());
    // A receipt may have been lost with the connection.
    settle();
  }
  // Failure policy: what could not be read now is read when the stream is connected again.
  const tryToReadMissed = (): void => void readMissed().catch(() => undefined);
  const settle = (): void => void acknowledge((count) => tabs.tell({ word: 'unread', count }));

  async function lead(): Promise<void> {
    // The platform streams a conversation, and there is none before the first message.
    await whenWritten(signal);
    const share = (event: ChatEvent): void => {
      tabs.tell({ word: 'event', event });
      take(event);
    };
    await readStream(signal, {
      // What was written without a connection goes out as soon as there is one.
      onConnection: () => void sendWaiting(),
      // The platform may have no stream to give for a while, and answer the list all the same.
      onPause: () => share({ event: 'reset' }),
      onEvent: share,
    });
  }
  // What was unseen until now may be in sight.
  document.addEventListener('visibilitychange', settle, { signal });
  const shareSent = (): void => {
    const data = lastSent.get();
    if (data) tabs.tell({ word: 'event', event: { event: 'message', data } });
  };
  const ends = [thread.follow(settle), isOpen.follow(settle), lastSent.follow(shareSent)];
  signal.addEventListener('abort', () => {
    for (const end of ends) end();
  });
  tryToReadMissed();
}

function whenWritten(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (thread.get().messages.length === 0 && !signal.aborted) return;
      end();
      resolve();
    };
    const end = thread.follow(look);
    signal.addEventListener('abort', look);
    look();
  });
}

function notice(message: ChatMessage, isLoud: boolean): void {
  showTypist(null);
  const { _id: id, author, contentType, content, createdAt } = message;
  tellHost({ parley: 'message', message: { id, author, contentType, content, createdAt } });
  if (isSeenNow()) return;
  unread.set(unread.get() + 1);
  const isNew = Date.now() - Date.parse(createdAt) < NEW_MS;
  // A browser lets a page sound only after somebody has used it.
  if (isLoud && isNew && navigator.userActivation?.hasBeenActive) playSound();
}

interface StreamReader {
  onConnection(): void;
  /** Called when there is no stream, and again every few seconds until there is one. */
  onPause(): void;
  onEvent(event: ChatEvent): void;
}

async function readStream(signal: AbortSignal, { onConnection, onPause, onEvent }: StreamReader): Promise<void> {
  const pauses = createRepeater(onPause, signal);
  const onOnline = (isOnline: boolean): void => {
    if (!isOnline) return;
    pauses.end();
    onConnection();
  };
  const options = { signal, onConnection: onOnline, onPause: pauses.begin };
  while (!signal.aborted) {
    try {
      await asKnownVisitor(async (token) => {
        for await (const event of followStream(token, options)) onEvent(event);
      });
    } catch {
      if (signal.aborted) return;
      // Failure policy: whatever else the platform answers may pass; the page says meanwhile that it is not connected.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Does something at the beginning, and every few seconds until the end. */
function createRepeater(act: () => void, signal: AbortSignal): { begin(): void; end(): void } {
  let timer: ReturnType<typeof setInterval> | undefined;
  const end = (): void => clearInterval(timer);
  signal.addEventListener('abort', end);
  const begin = (): void => {
    end();
    if (signal.aborted) return;
    timer = setInterval(act, READ_MS);
    act();
  };
  return { begin, end };
}

addEventListener('online', () => {
  if (isWaiting.get()) void sendWaiting();
});
