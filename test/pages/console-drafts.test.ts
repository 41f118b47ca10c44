/** What is begun in a conversation of the console and not sent yet, and what is sent while the browser is offline. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;

const field = (page: Page) => page.getByRole('textbox', { name: 'Write a message' });

/** What was sent and done in a conversation, in this order. */
async function listActs(id: string): Promise<string[]> {
  const { body: messages } = await call(200, 'GET', `/v1/messages/conversation/${id}?sort=createdAt`);
  const { body: history } = await call(200, 'GET', `/v1/conversations/${id}/history`);
  return [
    ...messages.result.map(({ createdAt, contentType, content }: Json) => [createdAt, `${contentType} ${content}`]),
    ...history.result.map(({ createdAt, changes }: Json) => [createdAt, changes.map(({ to }: Json) => to).join()]),
  ]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, act]) => act);
}

test('what is done with a conversation offline runs in the same order once the browser is online, and the notice says so', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Dora Linha', text: 'Obrigada' });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await field(page).waitFor();
  await page.context().setOffline(true);
  await page.getByText('Messages and changes to conversations are sent when you are back online.').waitFor();
  await field(page).fill('De nada');
  await page.keyboard.press('Enter');
  await page.getByRole('article').filter({ hasText: 'De nada' }).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.context().setOffline(false);
  await page.getByText('Conversation closed: Dora Linha').waitFor();
  assert.deepEqual((await listActs(conversation._id)).slice(1), ['TEXT De nada', 'CLOSED']);
  await close();
});
