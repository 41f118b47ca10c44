/** Segments of contacts, changes of several contacts at once, and transcripts, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;
const create = async (body: Json): Promise<Json> => (await call(201, 'POST', '/v1/contacts', { body })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/contacts/${id}`)).body;
const ana = await create({ name: 'Ana Lima', tags: ['vip'] });
const bia = await create({ name: 'Bia Souza', tags: ['vip'] });
const caio = await create({ name: 'Caio Reis' });
const { page, complaints } = await openConsole(platform, browser, { path: '/contacts' });
const rows = page.getByRole('rowgroup').getByRole('row');
const waitForRows = (count: number, of: Page = page): Promise<unknown> =>
  waitUntil(
    `the list shows ${count} contacts`,
    async () => (await of.getByRole('rowgroup').getByRole('row').count()) === count,
  );
const choose = async (of: Page, menu: RegExp | string, item: RegExp | string): Promise<void> => {
  await of.getByRole('button', { name: menu }).click();
  await of.getByRole('menuitem', { name: item }).click();
};
const saveDownload = async (act: Promise<void>): Promise<string> => {
  const download = page.waitForEvent('download');
  await act;
  return readFile(await (await download).path(), 'utf8');
};

test('the filters of the list are saved as a segment, which has a count, and is shared, updated and removed', async () => {
  const other = await openConsole(platform, browser, { path: '/contacts', role: 'VIEWER' });
  await waitForRows(3);
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByLabel('Field').selectOption({ label: 'Tags' });
  await page.getByLabel('Condition').selectOption({ label: 'is' });
  await page.getByLabel('Value').fill('vip');
  await page.getByRole('button', { name: 'Apply' }).click();
  await waitForRows(2);
  await page.getByRole('button', { name: 'Save segment' }).click();
  await page.getByLabel('Name', { exact: true }).fill('VIPs');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByLabel('Share with everyone').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Segments: VIPs' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save segment' }).count(), 0);
  await waitForRows(2);

  await choose(other.page, 'Segments: All contacts', /^VIPs ?2$/);
  await waitForRows(2, other.page);
  assert.equal(await other.page.getByRole('button', { name: 'Change the segment' }).count(), 0);
  assert.equal(await other.page.getByRole('checkbox').count(), 0, 'a viewer selects nothing');

  await choose(page, 'Segments: VIPs', 'All contacts');
  await waitForRows(3);
  await choose(page, 'Segments: All contacts', /^VIPs/);
  await waitForRows(2);
  await page.getByRole('searchbox').fill('ana');
  await waitForRows(1);
  await choose(page, 'Change the segment', 'Update to the current filters');
  await page.getByRole('button', { name: 'Save segment' }).waitFor({ state: 'detached' });
  await page.reload();
  await waitForRows(1);
  await choose(page, 'Change the segment', 'Remove');
  await findDialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await findDialog(page)
    .getByRole('button', { name: /remove/i })
    .last()
    .click();
  await page.getByText('Segment VIPs removed').waitFor();
  await waitForRows(3);
  await other.close();
});

test('contacts are selected by mouse, and tagged, exported and removed together', async () => {
  await page.getByLabel('Select Ana Lima').check();
  await page.getByLabel('Select Bia Souza').check();
  await page.getByRole('region', { name: '2 selected' }).waitFor();
  const sheet = await saveDownload(page.getByRole('region').getByRole('button', { name: 'Export' }).click());
  const exported: Json[] = parse(sheet, { columns: true });
  assert.deepEqual(
    exported.map(({ _id }) => _id),
    [bia._id, ana._id],
  );
  await page.getByRole('button', { name: 'Add and remove tags' }).click();
  await page.getByLabel('Tags to add').fill('spring');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByText('Tags of 2 contacts changed').waitFor();
  assert.deepEqual((await read(ana._id)).tags, ['vip', 'spring']);
  assert.deepEqual((await read(caio._id)).tags, []);
  await page.getByRole('button', { name: 'Dismiss' }).click();

  await page.getByLabel('Select Bia Souza').check();
  await choose(page, 'More actions', 'Remove');
  const dialog = findDialog(page);
  await dialog.getByText('This cannot be undone.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Remove 1 contact' }).click();
  await page.getByText('1 contact removed').waitFor();
  await waitForRows(2);
  await call(404, 'GET', `/v1/contacts/${bia._id}`);
  await page.getByRole('button', { name: 'Dismiss' }).click();
});

test('all contacts that match are selected and blocked by keyboard alone', async () => {
  const press = async (key: string, times = 1): Promise<void> => {
    for (let n = 0; n < times; n += 1) await page.keyboard.press(key);
  };
  await rows.first().focus();
  await press('Tab');
  await press('Space');
  await page.getByRole('region', { name: '1 selected' }).waitFor();
  await page.getByRole('button', { name: 'Select all 2 that match' }).focus();
  await press('Enter');
  await page.getByRole('region', { name: '2 selected' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).focus();
  await press('Enter');
  await page.getByRole('menuitem', { name: 'Block', exact: true }).waitFor();
  await press('ArrowDown');
  await press('Enter');
  await findDialog(page).getByText('Block 2 contacts?').waitFor();
  await findDialog(page).getByRole('button', { name: 'Block 2 contacts' }).focus();
  await press('Enter');
  await page.getByText('2 contacts blocked').waitFor();
  for (const { _id } of [ana, caio]) assert.equal((await read(_id)).blocked, true);
});

test('a transcript and the list of conversations are downloaded', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Dora Luz', text: 'Do you have bread?' });
  await call(201, 'POST', '/v1/messages/note', {
    body: { conversationId: conversation._id, message: { content: 'Likes rye' } },
  });
  await page.goto(`${platform.url}/console/inbox/all/${conversation._id}`);
  await page.getByRole('heading', { name: 'Dora Luz' }).waitFor();
  const text = await saveDownload(choose(page, 'More', 'Text file'));
  assert.match(text, /^Conversation with Dora Luz\n/);
  assert.match(text, / {2}Do you have bread\?\n/);
  assert.ok(!text.includes('Likes rye'));
  const html = await saveDownload(choose(page, 'More', 'Web page with notes'));
  assert.ok(html.includes('Likes rye'));
  const sheet = await saveDownload(page.getByRole('button', { name: 'Export this list' }).click());
  const exported: Json[] = parse(sheet, { columns: true });
  assert.deepEqual(
    exported.map(({ contact_name }) => contact_name),
    ['Dora Luz'],
  );
});

test('the browser has complained about nothing', () => {
  assert.deepEqual(complaints(), []);
});
