/** Begins the chat, and does what the site's page asks for. */
import { findPauseMs } from '../../../sdk/src/attempts.ts';
import { SITE } from '../address.ts';
import { findRefusal } from '../api/refusals.ts';
import type { HostWord } from '../bridge.ts';
import { followHost, tellHost } from '../host.ts';
import { preferLanguage } from '../texts/language.ts';
import { answers } from './answers.ts';
import { draft } from './draft.ts';
import { followChat } from './live.ts';
import { emptyOutbox, sendWaiting } from './outbox.ts';
import { focusRequests, isOpen, unread } from './panel.ts';
import { loadSettings } from './settings.ts';
import { visitedPage } from './site.ts';
import { emptyThread } from './thread.ts';
import { enter, forgetVisitor, visitor } from './visitor.ts';

export function startChat(): void {
  visitor.follow(followVisitor);
  if (SITE === null) return void begin(null).catch(reportError);
  // Words are handled in their order: a log-out before the next identity.
  let last = Promise.resolve();
  followHost((word) => {
    hear(word);
    last = last.then(() => handle(word)).catch(reportError);
  });
  tellHost({ parley: 'ready' });
}

/** Shows at once what needs no answer of the platform. */
function hear(word: HostWord): void {
  if (word.parley === 'hello') isOpen.set(word.isOpen);
  if (word.parley === 'hello' || word.parley === 'page') visitedPage.set(word.page);
  if (word.parley === 'hello' || word.parley === 'language') preferLanguage('site', word.language);
  if (word.parley === 'close') isOpen.set(false);
  if (word.parley === 'open') {
    isOpen.set(true);
    if (word.takesFocus) focusRequests.set(focusRequests.get() + 1);
    void loadSettings().catch(reportError);
  }
}

async function handle(word: HostWord): Promise<void> {
  if (word.parley === 'hello') {
    if (word.isReset) logOut();
    await begin(word.identity);
  }
  if (word.parley === 'identify') await identify(word.identity);
  if (word.parley === 'reset') logOut();
}

async function begin(identity: string | null): Promise<void> {
  // A visitor of this browser sees the history as soon as it is there.
  followVisitor();
  await loadSettings();
  if (identity !== null) await identify(identity);
  // Failure policy: the token is good for half a year, so that a later page renews it.
  else if (visitor.get())
    await enter()
      .then(showUnread)
      .catch(() => undefined);
  void sendWaiting();
}

const showUnread = ({ unread_count }: { unread_count: number }): void => unread.set(unread_count);

/** Asks until the platform answers. What another person has written in this browser is forgotten. */
async function identify(identity: string): Promise<void> {
  const before = visitor.get();
  for (let attempts = 1; ; attempts += 1) {
    try {
      const session = await enter(identity);
      if (before?.is_known && before.visitor !== session.visitor) forgetWriting();
      return showUnread(session);
    } catch (error) {
      // The developer of the site finds the cause on the console.
      if (findRefusal(error) !== null) return reportError(error);
      await new Promise((resolve) => setTimeout(resolve, findPauseMs(attempts, undefined)));
    }
  }
}

function logOut(): void {
  forgetWriting();
  forgetVisitor();
}

function forgetWriting(): void {
  emptyOutbox();
  answers.set(null);
  draft.set('');
}

let following: { visitor: string; end: AbortController } | null = null;

/** Shows the conversation of the visitor that there is now. */
function followVisitor(): void {
  const current = visitor.get();
  tellHost({ parley: 'visitor', isKnown: current !== null });
  if (current?.visitor === following?.visitor) return;
  following?.end.abort();
  emptyThread();
  unread.set(current?.unread_count ?? 0);
  following = current && { visitor: current.visitor, end: new AbortController() };
  if (current && following) followChat(current, following.end.signal);
}
