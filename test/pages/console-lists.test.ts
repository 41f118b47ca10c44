/** The order and the filters of the list of conversations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
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

test('a view is filtered by person, team, waiting time, tag and custom field, by keyboard, and not by what the view decides', async () => {
  const { call, demo } = platform;
  const [ana, bia, caio] = names as [string, string, string];
  const change = (index: number, body: object): Promise<unknown> =>
    call(200, 'PATCH', `/v1/conversations/${ids[index]}`, { body });
  const rosa = await createPerson(platform, demo._id, 'OPERATOR');
  await call(200, 'PATCH', `/v1/users/${rosa._id}`, { body: { name: 'Rosa' } });
  const { body: team } = await call(201, 'POST', '/v1/teams', { body: { name: 'Sales', members: [rosa._id] } });
  const { body: field } = await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Order', slug: 'order', type: 'TEXT', context: 'conversation' },
  });
  await change(0, { owner: rosa._id, tags: ['delivery'] });
  await change(1, { team: team._id, custom_fields: { order: 'C-17' } });
  await platform.database.sql(`update conversations set waiting_since = now() - interval '20 minutes' where _id = $1`, [
    ids[2],
  ]);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const open = async (...items: string[]): Promise<void> => {
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
    for (const name of items) await page.getByRole('menuitem', { name, exact: true }).press('Enter');
  };
  const without = (label: string): Promise<void> =>
    page.getByRole('button', { name: `Remove the filter ${label}`, exact: true }).press('Enter');
  await open('Assigned to', 'Rosa');
  await waitForRows(page, [ana]);
  await without('Assigned to Rosa');
  await open('Team', 'Sales');
  await waitForRows(page, [bia]);
  await without('Sales');
  await open('Waiting longer than', '15 min');
  await waitForRows(page, [caio]);
  assert.deepEqual(await findBarriers(page), []);
  await without('Waiting longer than 15 min');
  await open('Tag…');
  await findDialog(page).getByLabel('Tag').fill('delivery');
  await page.keyboard.press('Enter');
  await waitForRows(page, [ana]);
  await without('Tag: delivery');
  await open('Custom field…');
  await findDialog(page).getByLabel('Condition').selectOption('eq');
  await findDialog(page).getByLabel('Value').fill('C-17');
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  await waitForRows(page, [bia]);
  await without('Order is C-17');
  await page.goto(`${platform.url}/console/inbox/mine`);
  await open();
  await page.getByRole('menuitem', { name: 'Priority', exact: true }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Assigned to', exact: true }).count(), 0);
  await call(200, 'DELETE', `/v1/custom-fields/${field._id}`);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a search finds people outside of the view, and the order of waiting says that it lists only who waits', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/mine' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('Caio');
  await page.getByRole('button', { name: 'Everywhere 1', pressed: true }).waitFor();
  await waitForRows(page, ['Caio Reis']);
  await page.goto(`${platform.url}/console/inbox/all`);
  await page.getByRole('button', { name: 'Sort by: Newest' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Oldest waiting' }).press('Enter');
  await page.getByRole('button', { name: 'Remove the filter Only who waits' }).press('Enter');
  await page.getByRole('button', { name: 'Sort by: Newest' }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
