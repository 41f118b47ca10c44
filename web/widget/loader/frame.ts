/** The frame with the chat, which is added when it is first needed. */
import { readWord, type FrameWord, type HostWord } from '../bridge.ts';

export interface Frame {
  /** Adds the frame unless it is there. */
  add(): void;
  /** True once the chat has answered. */
  isReady(): boolean;
  post(word: HostWord): void;
  focus(): void;
}

interface FrameOptions {
  /** The address of the platform, with a slash at its end. */
  platform: string;
  inbox: string;
  insert(address: string): HTMLIFrameElement;
  onWord(word: FrameWord): void;
  /** The frame has no chat and was removed. */
  onFailure(): void;
}

/** A chat that has not answered this long after its frame has loaded was refused by the platform or by the browser. */
const START_MS = 10_000;

export function createFrame({ platform, inbox, insert, onWord, onFailure }: FrameOptions): Frame {
  const { origin } = new URL(platform);
  let frame: HTMLIFrameElement | null = null;
  let isReady = false;
  addEventListener('message', (event: MessageEvent<unknown>) => {
    const word = frame && readWord<FrameWord>(event, { source: frame.contentWindow, origin });
    if (!word) return;
    isReady = true;
    onWord(word);
  });
  /** The next time that the visitor opens the chat, it is tried again. */
  const giveUp = (): void => {
    frame?.remove();
    frame = null;
    onFailure();
    // oxlint-disable-next-line no-console -- the developer of the site looks for the cause here
    console.warn(`Parley: the chat did not start. Is ${location.origin} among the site addresses of its inbox?`);
  };
  return {
    add: () => {
      if (frame) return;
      const address = new URL(`widget/${encodeURIComponent(inbox)}`, platform);
      address.hash = new URLSearchParams({ origin: location.origin }).toString();
      const added = insert(address.href);
      frame = added;
      added.addEventListener('load', () => setTimeout(() => frame === added && !isReady && giveUp(), START_MS));
    },
    isReady: () => isReady,
    post: (word) => {
      if (isReady) frame?.contentWindow?.postMessage(word, origin);
    },
    focus: () => frame?.focus(),
  };
}
