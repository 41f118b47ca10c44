/** The order and the filters of the list of conversations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { sendText, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const names = ['Ana Lima', 'Bia Souza', 'Caio Reis'];
const ids: string[] = [];
for (const name of names) ids.push((await writeAsContact(platform, { name, text: 'Hello' })).conversation._id);

/** Waits until the list shows these contacts, in this order. */
const waitForRows = (page: Page, expected: readonly string[]): Promise<unknown> =>
  waitUntil(`the list shows ${expected.join(', ')}`, async () => {
    const rows = await page.getByRole('region', { name: 'Conversations' }).getByRole('link').allInnerTexts();
    const shown = rows.map((text) => names.find((name) => text.includes(name)));
    return JSON.stringify(shown) === JSON.stringify(expected);
  });

test('a view is sorted by waiting time and priority, filtered by priority, and follows what changes', async () => {
  const [ana, bia, caio] = names as [string, string, string];
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${ids[2]}` });
  const choose = async (menu: string, ...items: string[]): Promise<void> => {
    await page.getByRole('button', { name: menu, exact: true }).click();
    for (const name of items) await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await waitForRows(page, [caio, bia, ana]);
  await choose('Sort by: Newest', 'Oldest waiting');
  await waitForRows(page, [ana, bia, caio]);
  assert.deepEqual(await findBarriers(page), []);
  await sendText(platform, String(ids[0]), { content: 'On its way' });
  await waitForRows(page, [bia, caio]);
  await choose('Sort by: Oldest waiting', 'Priority');
  await waitForRows(page, [caio, bia, ana]);
  await platform.call(200, 'PATCH', `/v1/conversations/${ids[0]}`, { body: { priority: 'HIGH' } });
  await waitForRows(page, [ana, caio, bia]);
  await page.getByRole('button', { name: 'Priority', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Urgent' }).click();
  await waitForRows(page, [caio, ana, bia]);
  await choose('Filter', 'Priority', 'Urgent');
  await waitForRows(page, [caio]);
  await platform.call(200, 'PATCH', `/v1/conversations/${ids[1]}`, { body: { priority: 'URGENT' } });
  await waitForRows(page, [caio, bia]);
  assert.deepEqual(await findBarriers(page), []);
  await page.reload();
  await waitForRows(page, [caio, bia, ana]);
  assert.deepEqual(complaints(), []);
  await close();
});
