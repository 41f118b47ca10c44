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
  await page.getByRole('button', { name: 'Update segment' }).click();
  await page.getByRole('button', { name: 'Save as new segment' }).waitFor({ state: 'detached' });
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

test('contacts are selected by mouse without a row moving, and tagged, exported and removed together', async () => {
  const last = page.getByLabel('Select Ana Lima');
  const before = await last.boundingBox();
  await last.check();
  await page.getByRole('region', { name: '1 selected' }).waitFor();
  assert.deepEqual(await last.boundingBox(), before);
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
  await page.getByLabel('Tags to remove').fill('winter');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByText('Tags of 2 contacts changed (added: spring; removed: winter)', { exact: true }).waitFor();
  assert.deepEqual((await read(ana._id)).tags, ['vip', 'spring']);
  assert.deepEqual((await read(caio._id)).tags, []);
  // The next selection takes the place of what was changed.
  await page.getByLabel('Select Bia Souza').check();
  await page
    .getByText('Tags of 2 contacts changed (added: spring; removed: winter)', { exact: true })
    .waitFor({ state: 'detached' });
  await page.getByLabel('Select Bia Souza').uncheck();
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

test('a changed search, filter or segment ends the selection, and all that match cannot be changed while they are not counted', async () => {
  const { page: own, close } = await openConsole(platform, browser, { path: '/contacts' });
  const search = own.getByRole('searchbox');
  const selectAll = async (): Promise<void> => {
    await own.getByLabel('Select Ana Lima').check();
    await own.getByRole('button', { name: 'Select all 2 that match' }).click();
    await own.getByRole('region', { name: '2 selected' }).waitFor();
  };
  await waitForRows(2, own);
  await selectAll();
  await search.fill('ana');
  await waitForRows(1, own);
  assert.equal(await own.getByRole('checkbox', { checked: true }).count(), 0);
  await search.fill('');
  await waitForRows(2, own);
  assert.equal(await own.getByRole('checkbox', { checked: true }).count(), 0);
  assert.equal(await own.getByRole('region', { name: /selected/ }).count(), 0);

  const segment = {
    name: 'Tagged',
    filters: { filters: '[{"value": "vip", "operator": "eq", "field": "contact.tags"}]' },
  };
  await call(201, 'POST', '/v1/segments', { body: { ...segment, is_shared: true } });
  await selectAll();
  await choose(own, 'Segments: All contacts', /^Tagged/);
  await waitForRows(1, own);
  assert.equal(await own.getByRole('checkbox', { checked: true }).count(), 0);
  await own.getByRole('button', { name: 'Segments: Tagged' }).waitFor();
  assert.equal(await own.getByRole('button', { name: 'Save segment' }).count(), 0, 'nobody has changed the segment');
  await choose(own, 'Segments: Tagged', 'All contacts');
  await waitForRows(2, own);

  const held = Promise.withResolvers<void>();
  await own.getByLabel('Select Ana Lima').check();
  await own.getByRole('button', { name: 'Select all 2 that match' }).waitFor();
  await own.getByRole('button', { name: 'Clear selection' }).click();
  await own.route(/\/v1\/contacts\?limit=1$/, async (route) => {
    await held.promise;
    await route.fulfill({ json: { result: [], meta: { totalCount: null, nextCursor: null } } });
  });
  await selectAll();
  held.resolve();
  await own.getByRole('region', { name: /could not be counted/ }).waitFor();
  for (const name of ['Add and remove tags', 'Set the owner', 'Export', 'More actions'])
    assert.ok(await own.getByRole('region').getByRole('button', { name }).isDisabled(), name);
  await close();
});

test('a field of the selected contacts is set once a value is chosen, and is cleared only after a question', async () => {
  await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Member', slug: 'member', context: 'contact', type: 'BOOLEAN' },
  });
  const readMember = async (): Promise<unknown> => (await read(ana._id)).custom_fields[0]?.value ?? null;
  const { page: own, close } = await openConsole(platform, browser, { path: '/contacts' });
  const open = async (): Promise<void> => {
    await own.getByLabel('Select Ana Lima').check();
    await own.getByRole('button', { name: 'Set a field' }).click();
  };
  await open();
  const change = findDialog(own).getByRole('button', { name: 'Change', exact: true });
  assert.ok(await change.isDisabled(), 'nothing is chosen');
  assert.deepEqual(await findBarriers(own), []);
  await findDialog(own).getByLabel('Member').selectOption({ label: 'No' });
  await change.click();
  await own.getByText('Field of 1 contact set').waitFor();
  assert.equal(await readMember(), false);
  await own.getByRole('button', { name: 'Dismiss' }).click();
  await open();
  await findDialog(own).getByRole('button', { name: 'Clear the field' }).click();
  await findDialog(own).getByText('Clear the field of 1 contact?').waitFor();
  assert.equal(await readMember(), false);
  await findDialog(own).getByRole('button', { name: 'Clear the field of 1 contact' }).click();
  await own.getByText('Field of 1 contact cleared').waitFor();
  assert.equal(await readMember(), null);
  await close();
});

test('the export says why it takes no more than 100 contacts that were selected one by one', async () => {
  const contacts = Array.from({ length: 101 }, (_, n) => ({ name: `Many ${n}`, external_id: `many-${n}` }));
  await call(201, 'POST', '/v1/contacts/bulk', { body: { contacts } });
  const { page: own, close } = await openConsole(platform, browser, { path: '/contacts?search=many' });
  await own.getByLabel('Select Many 100', { exact: true }).check();
  const last = own.getByLabel('Select Many 0', { exact: true });
  await own.getByText('Many 99', { exact: true }).hover();
  await waitUntil('the last contact is shown', async () => {
    await own.mouse.wheel(0, 2_000);
    return (await last.count()) === 1;
  });
  await last.click({ modifiers: ['Shift'] });
  const region = own.getByRole('region', { name: '101 selected' });
  const why = 'At most 100 contacts selected one by one can be exported. Select all that match, or fewer.';
  await region.getByRole('button', { name: why }).focus();
  await own.keyboard.press('Enter');
  await own.getByText(why).waitFor();
  await close();
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
  await page.getByRole('searchbox').fill('nobody');
  const found = await saveDownload(page.getByRole('button', { name: 'Export this list' }).click());
  assert.deepEqual(parse(found, { columns: true }), [], 'the typed search narrows the sheet');
});

test('the browser has complained about nothing', () => {
  assert.deepEqual(complaints(), []);
});
