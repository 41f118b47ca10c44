import { toObject } from './exchange.ts';
import { isLoopbackUrl } from './loopback.ts';

/** The web chat that the demo shop shows. */
export type DemoChat = {
  /** The address of the platform, without a slash at the end. */
  platform: string;
  inbox: string;
};

export function isDemoChat(value: unknown): boolean {
  const { platform, inbox } = toObject(value);
  return (
    typeof platform === 'string' && isLoopbackUrl(platform) && typeof inbox === 'string' && /^\w{1,64}$/.test(inbox)
  );
}

/** The shop's brown, in which texts can be read on white and white on it. */
const COLOR = '#8a4b16';

/** Puts the chat into the shop's page, as a shop does: by one line of HTML. */
export function addChat(page: Buffer, chat: DemoChat | null): Buffer {
  if (chat === null) return page;
  const { origin } = new URL(chat.platform);
  const snippet = `<script async src="${origin}/widget.js" data-inbox="${chat.inbox}" data-color="${COLOR}"></script>`;
  return Buffer.from(page.toString().replace('<!--chat-->', snippet));
}

/** What the shop's content security policy has to allow for the chat: its script and its frame. */
export function allowChat(policy: string, chat: DemoChat | null): string {
  if (chat === null) return policy;
  const { origin } = new URL(chat.platform);
  return `${policy.replace("script-src 'self'", `script-src 'self' ${origin}`)}; frame-src ${origin}`;
}
