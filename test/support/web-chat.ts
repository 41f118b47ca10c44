/** Visitors of a web chat, as their pages behave. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { makeInteractiveOffer, type MessageContent } from '../../src/channels/content.ts';
import { sendMessage } from '../../src/features/messages/send.ts';
import { newId } from '../../src/platform/values/ids.ts';
import { actAs } from '../../src/platform/store/tenant.ts';
import { openLive, type LiveClient } from './live.ts';
import type { Answer, CallOptions, Json, Platform } from './platform.ts';

/** A platform in this process or in another one. */
export interface CalledPlatform {
  url: string;
  call(status: number, method: string, path: string, options?: { body?: unknown }): Promise<{ body: Json }>;
}

/** The secret of the chats that openSite() creates. */
export const SITE_SECRET = 'the-secret-of-a-shop-in-these-tests';

/** Creates a web chat in the company that calls and returns its id. */
export async function openSite({ call }: CalledPlatform, config: Json = {}, inbox: Json = {}): Promise<string> {
  const web_config = { identity_secret: SITE_SECRET, ...config };
  const { body } = await call(201, 'POST', '/v1/inboxes', {
    body: { channel: 'WEB_V2', name: 'Shop', web_config, ...inbox },
  });
  return body._id;
}

const AGENT = { type: 'agent', id: newId(), name: 'Sales agent' } as const;

/** Sends any content to a visitor in the name of an agent, on the way that every send takes. No operation of the API sends these contents. */
export const sendAsAgent = ({ running: { kit }, demo }: Platform, conversation: string, content: MessageContent) =>
  sendMessage(
    kit,
    actAs(kit.database, demo._id, AGENT),
    { conversation },
    { content, attachment: null, replyTo: null },
  );

/** A text with these reply buttons. */
export const composeButtons = (content: string, titles: string[]): MessageContent => ({
  contentType: 'INTERACTIVE',
  content,
  interactive: makeInteractiveOffer('button', {
    action: { buttons: titles.map((title) => ({ type: 'reply', reply: { id: `id ${title}`, title } })) },
  }),
});

/** Signs what a site says of its visitor. */
export function prove(
  claims: Json,
  { secret = SITE_SECRET, exp = '10m' }: { secret?: string; exp?: string | number } = {},
) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(exp)
    .sign(new TextEncoder().encode(secret));
}

export interface TestVisitor {
  session: Json;
  call(status: number, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Writes a text and returns its message. */
  write(content: string, more?: Json): Promise<Json>;
  /** Sends a picture with these parts of the form and returns the answer. */
  sendFile(status: number, parts: Record<string, string>, data: Buffer): Promise<Json>;
  list(query?: string): Promise<Json>;
  live(): Promise<LiveClient>;
}

/** Opens the chat as a visitor: a new one, one with a proof of the site, or one who was here before. */
export async function visit(
  platform: Platform,
  inbox: string,
  { identity, token = '' }: { identity?: string; token?: string } = {},
): Promise<TestVisitor> {
  const base = `/web/v1/inboxes/${inbox}`;
  const { body: session } = await platform.call(201, 'POST', `${base}/session`, {
    key: token,
    body: identity === undefined ? {} : { identity },
  });
  const key = session.token;
  const call: TestVisitor['call'] = (status, method, path, options = {}) =>
    platform.call(status, method, base + path, { key, ...options });
  return {
    session,
    call,
    write: async (content, more = {}) =>
      (await call(201, 'POST', '/messages', { body: { client_id: randomUUID(), content, ...more } })).body,
    sendFile: async (status, parts, data) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(parts)) form.set(name, value);
      form.set('file', new Blob([new Uint8Array(data)]), 'picture.png');
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${platform.url}${base}/files`, { method: 'POST', headers, body: form });
      const body = (await response.json()) as Json;
      assert.equal(response.status, status, JSON.stringify(body));
      return body;
    },
    list: async (query = '') => (await call(200, 'GET', `/messages${query}`)).body,
    live: () => openLive(platform, { key, path: `${base}/live` }),
  };
}
