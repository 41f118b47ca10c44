/** Shows the web chat in a real browser, on the page of a site that is not the platform. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { shipWebApps } from '../../src/platform/http/web-builds.ts';
import { openPage } from './browser.ts';
import type { Json } from './platform.ts';
import { followShop, type ShopPage } from './shop-page.ts';
import { waitUntil } from './wait.ts';
import { openSite, type CalledPlatform } from './web-chat.ts';

// A platform looks for the build when it starts, so a test file that imports this one has it before.
await shipWebApps();

export interface ShopSite {
  origin: string;
  /** The web chat of the site. */
  inbox: string;
}

export interface ShopOptions {
  /** False: the inbox does not name the site. */
  isAllowed?: boolean;
  config?: Json;
  /** Attributes and further elements of the site's page. */
  attributes?: string;
  /** What the page has in the place of the script that docs/web-chat.md shows. */
  makeScript?(address: string, inbox: string): string;
  markup?: string;
}

/** What docs/web-chat.md asks of the content security policy of a site. */
const makePolicy = (platform: string): string =>
  `default-src 'none'; img-src data:; script-src ${platform}; frame-src ${platform}`;

/** Starts a site with a chat of its own. Its page forbids everything that the chat does not need. */
export async function startShop(platform: CalledPlatform, options: ShopOptions = {}): Promise<ShopSite> {
  const { isAllowed = true, config = {}, attributes = '', markup = '' } = options;
  const makeScript: NonNullable<ShopOptions['makeScript']> =
    options.makeScript ??
    ((address, id) => `<script async src="${address}" data-inbox="${id}" ${attributes}></script>`);
  let inbox = '';
  const server = createServer((request, response) => {
    const script = makeScript(`${platform.url}/widget.js`, inbox);
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': makePolicy(platform.url),
    });
    response.end(
      `<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:," /></head>
      <body><main><h1>Shop</h1><a href="#bread">Bread</a>${markup}</main>${request.url === '/without' ? '' : script}</body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  inbox = await openSite(platform, { allowed_origins: isAllowed ? [origin] : [], ...config });
  return { origin, inbox };
}

export interface OpenShop extends ShopPage {
  complaints: string[];
  requests: string[];
  close(): Promise<void>;
}

/** Opens the site's page as somebody who reads English. */
export async function openShop(
  browser: Browser,
  { origin }: ShopSite,
  options: BrowserContextOptions = {},
): Promise<OpenShop> {
  const opened = await openPage(browser, { locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options });
  await opened.page.goto(origin);
  return { ...opened, ...followShop(opened.page), close: () => opened.page.context().close() };
}

/** Waits until the company has got the message of a visitor, and returns it. */
export const findReceived = ({ call }: CalledPlatform, content: string): Promise<Json> =>
  waitUntil(`the message ${content}`, async () => {
    const { body } = await call(200, 'GET', '/v1/messages?limit=100');
    return body.result.find((message: Json) => message.content === content);
  });

/** Answers a visitor's message as the company, and returns the answer. */
export async function answerVisitor({ call }: CalledPlatform, received: Json, content: string): Promise<Json> {
  const { body } = await call(201, 'POST', '/v1/messages/send-text', {
    body: { conversationId: received.conversation, message: { content, contentType: 'TEXT' } },
  });
  assert.equal(body.content, content);
  return body;
}
