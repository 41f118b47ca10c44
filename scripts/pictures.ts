/**
 * Takes the picture of the README: `npm run pictures` starts a platform with its demo, lets people write to it, and shows the inbox of the
 * console next to the phone of one of them.
 */
import { mkdir } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { launchBrowser, openPage } from '../test/support/browser.ts';
import { openConsoleAt } from '../test/support/console.ts';
import { openTestServer } from '../test/support/database.ts';
import { openPlatform, type Platform } from '../test/support/platform.ts';
import { waitUntil } from '../test/support/wait.ts';

const FOLDER = 'docs/images';
const FILE = `${FOLDER}/inbox-and-phone.webp`;
const HEIGHT = 760;
const CONSOLE_WIDTH = 1180;
const PHONE_WIDTH = 400;
const GAP = 20;

/** The person whom the phone page shows first. */
const MARIA = { from: '5511988887777', name: 'Maria Silva' };
const OTHERS = [
  { from: '5511955553333', name: 'Davi Rocha', text: 'Good morning! Do you deliver in Recife?' },
  { from: '5581988882222', name: 'Rosa Lima', text: 'Thank you, see you on Saturday.' },
  { from: '5511977771111', name: 'Hugo Farias', text: 'Can I change the address of order 4821?' },
];

/** Waits until Maria's phone has received this many messages. */
const waitForPhone = (platform: Platform, count: number): Promise<unknown> =>
  waitUntil(`message ${count} on the phone`, async () => {
    const { messages } = await platform.sandbox('GET', `/sandbox/messages?phone=${MARIA.from}`);
    return messages.length >= count;
  });

/** Maria asks, the agent answers, and a person takes over. Returns the conversation. */
async function talk(platform: Platform, token: string): Promise<string> {
  for (const message of OTHERS) await platform.receive(message);
  await platform.receive({ ...MARIA, text: 'Hello! When do you open on Sundays?' });
  await waitForPhone(platform, 1);
  await platform.receive({ ...MARIA, text: 'Could you keep two country loaves for me?' });
  await waitForPhone(platform, 2);
  const { body } = await platform.call(200, 'GET', '/v1/messages?search=loaves&limit=1');
  const conversationId: string = body.result[0].conversation;
  const message = { content: 'Of course, Maria. They will be at the counter from six o’clock.' };
  await platform.call(201, 'POST', '/v1/messages/send-text', { key: token, body: { conversationId, message } });
  await waitForPhone(platform, 3);
  return conversationId;
}

async function photograph(platform: Platform, browser: Browser): Promise<Buffer[]> {
  const { _id, token } = await platform.createUser(platform.demo._id, 'OWNER', 'Ana Lima');
  const headers = { 'x-company-id': platform.demo._id };
  const { body: user } = await platform.call(200, 'GET', `/v1/users/${_id}`, { key: platform.globalKey, headers });
  const conversation = await talk(platform, token);
  const phone = await openPage(browser, { viewport: { width: PHONE_WIDTH, height: HEIGHT }, colorScheme: 'light' });
  await phone.page.goto(`${platform.sandboxUrl}/phone`);
  await phone.page.getByRole('listitem').filter({ hasText: 'Of course, Maria' }).waitFor();
  const people = await openConsoleAt({ url: platform.url, email: user.email }, browser, {
    path: `/inbox/all/${conversation}`,
    viewport: { width: CONSOLE_WIDTH, height: HEIGHT },
  });
  const reply = people.page.getByRole('article').filter({ hasText: 'Of course' });
  await reply.getByRole('img', { name: 'Read' }).waitFor();
  return [await people.page.screenshot(), await phone.page.screenshot()];
}

/** Puts the two pictures next to each other. */
async function join([left, right]: Buffer[]): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const canvas = { width: CONSOLE_WIDTH + GAP + PHONE_WIDTH, height: HEIGHT, channels: 4 as const };
  await sharp({ create: { ...canvas, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .composite([
      { input: left, left: 0, top: 0 },
      { input: right, left: CONSOLE_WIDTH + GAP, top: 0 },
    ])
    .webp({ quality: 88 })
    .toFile(FILE);
}

const server = await openTestServer({ durable: false });
process.env['PARLEY_TEST_SERVER'] = JSON.stringify(server.address);
const { platform, close } = await openPlatform({ hasWholeDemo: true });
const browser = await launchBrowser();
try {
  await join(await photograph(platform, browser));
  console.log(`${FILE} is written`);
} finally {
  await browser.close();
  await close();
  await server.close();
}
