/** Talks to the page of the site that shows the chat. */
import { SITE } from './address.ts';
import { readWord, type FrameWord, type HostWord } from './bridge.ts';

/** Tells the site's page; a page that was opened by itself has none. */
export function tellHost(word: FrameWord): void {
  // The browser drops the message when the site is another one than it says. Only sites that the inbox allows can frame this page.
  if (SITE !== null) parent.postMessage(word, SITE);
}

export function followHost(onWord: (word: HostWord) => void): void {
  addEventListener('message', (event: MessageEvent<unknown>) => {
    const word = SITE === null ? null : readWord<HostWord>(event, { source: parent, origin: SITE });
    if (word) onWord(word);
  });
}
