/** Saved views of the list of conversations, and the filters that they save. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, holdAnswers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;
const names = ['Ana Lima', 'Bia Souza', 'Caio Reis'];
const ids: string[] = [];
for (const name of names) ids.push((await writeAsContact(platform, { name, text: 'Hello' })).conversation._id);
const [ana, bia, caio] = names as [string, string, string];
const change = (index: number, body: Json): Promise<unknown> =>
  call(200, 'PATCH', `/v1/conversations/${ids[index]}`, { body });

const findList = (page: Page) => page.getByRole('region', { name: 'Conversations', exact: true });

/** Waits until the list shows these contacts, in this order. */
const waitForRows = (page: Page, expected: readonly string[]): Promise<unknown> =>
  waitUntil(`the list shows ${expected.join(', ')}`, async () => {
    const rows = await findList(page).getByRole('link').allInnerTexts();
    return JSON.stringify(rows.map((text) => names.find((name) => text.includes(name)))) === JSON.stringify(expected);
  });

const choose = async (page: Page, menu: string, ...items: string[]): Promise<void> => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  for (const name of items) await page.getByRole('menuitem', { name, exact: true }).click();
};

const findView = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: new RegExp(`^${name}`) });

/** Drags a saved view once, and drops it when the list shows that it goes before the other view. */
async function dragBefore(page: Page, name: string, before: string): Promise<void> {
  await findView(page, name).hover();
  const box = await findView(page, before).boundingBox();
  assert.ok(box);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + 3, { steps: 5 });
  // Entering an element only fires `dragenter`. The line appears with `dragover`, which needs another move over the same element.
  await page.mouse.move(box.x + 28, box.y + 3, { steps: 2 });
  await page.locator('[data-edge=before]', { has: page.getByRole('link', { name: before }) }).waitFor();
  await page.mouse.up();
}

test('the filters of a list are saved as a view, which has a count and an address, and is shared, renamed and removed', async () => {
  await change(1, { priority: 'URGENT' });
  const [mine, other] = [
    await openConsole(platform, browser, { path: '/inbox/all' }),
    await openConsole(platform, browser, { path: '/inbox/all', role: 'VIEWER' }),
  ];
  const { page } = mine;
  const head = findList(page).locator('header');
  await head.getByText('3', { exact: true }).waitFor();
  await choose(page, 'Filter', 'Priority', 'Urgent');
  await waitForRows(page, [bia]);
  assert.equal(await head.getByText('3', { exact: true }).count(), 0, 'the count of the whole view is hidden');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Burning');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/inbox\/view-[0-9a-f]{24}$/);
  await waitForRows(page, [bia]);
  await head.getByText('1', { exact: true }).waitFor();
  await findView(page, 'Burning ?1').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Urgent' }).waitFor();

  await change(2, { priority: 'URGENT' });
  await waitForRows(page, [caio, bia]);
  await findView(page, 'Burning ?2').waitFor();
  await page.reload();
  await waitForRows(page, [caio, bia]);

  assert.equal(await findView(other.page, 'Burning').count(), 0);
  await choose(page, 'Change the view', 'Share with everyone');
  await findView(other.page, 'Burning').click();
  await waitForRows(other.page, [caio, bia]);
  assert.equal(await other.page.getByRole('button', { name: 'Change the view' }).count(), 0);

  await choose(page, 'Filter', 'Unread');
  await choose(page, 'Sort by: Newest', 'Oldest waiting');
  await page.getByRole('button', { name: 'Save as new view' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0);
  await page.getByRole('button', { name: 'Update view' }).click();
  await page.getByRole('button', { name: 'Update view' }).waitFor({ state: 'detached' });
  await waitForRows(other.page, [bia, caio]);
  await choose(page, 'Change the view', 'Rename view');
  await page.getByLabel('Name', { exact: true }).fill('Hot');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await findView(other.page, 'Hot').waitFor();
  assert.deepEqual(await findBarriers(page), []);

  await page.keyboard.press('Control+K');
  await page.getByRole('combobox').fill('Hot');
  await page.getByRole('option', { name: 'Hot' }).waitFor();
  await page.keyboard.press('Escape');
  await choose(page, 'Change the view', 'Remove');
  await findDialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await findDialog(page)
    .getByRole('button', { name: /remove/i })
    .last()
    .click();
  for (const opened of [page, other.page]) await opened.waitForURL(/\/inbox\/mine$/);
  assert.deepEqual([...mine.complaints(), ...other.complaints()], []);
  await Promise.all([mine.close(), other.close()]);
});

test('a shared view with the owner me shows each user their own conversations, and names its filters', async () => {
  const body = { name: 'My orders', is_shared: true, filters: { owner: 'me', tag: 'order' } };
  const { body: view } = await call(201, 'POST', '/v1/views', { body });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/view-${view._id}` });
  await page.getByText('No conversations here').waitFor();
  const user = await page.evaluate<string>(`fetch('/v1/auth/me').then((it) => it.json()).then(({ user }) => user._id)`);
  await change(0, { owner: user, tags: ['order'] });
  await waitForRows(page, [ana]);
  await findView(page, 'My orders ?1').waitFor();
  for (const label of ['Mine', 'Tag: order']) await findList(page).getByRole('listitem').getByText(label).waitFor();
  await change(0, { owner: null, tags: [] });
  await page.getByText('No conversations here').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('saved views are moved by the menu and by dragging, the order is kept, and a user without the right cannot move shared ones', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const create = (name: string, is_shared: boolean): Promise<string> =>
    page.evaluate<string>(`fetch('/v1/views', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: '${name}', is_shared: ${is_shared}, filters: {} }) }).then((it) => it.json()).then(({ _id }) => _id)`);
  const own = ['Aaa', 'Bbb', 'Ccc'];
  for (const name of own) await create(name, false);
  const id = await create('Shared one', true);
  await page.reload();
  const list = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^(Aaa|Bbb|Ccc)/ });
  const readOrder = async (): Promise<string> => (await list.allInnerTexts()).map((text) => text[0]).join('');
  const waitForOrder = (order: string): Promise<unknown> =>
    waitUntil(`the order ${order}`, async () => (await readOrder()) === order);
  const readStored = (): Promise<string> =>
    page.evaluate<string>(`fetch(new Request('/v1/views')).then((it) => it.json()).then(({ result }) => result.filter(({ is_shared }) => !is_shared)
      .toSorted((a, b) => a.position - b.position || a.name.localeCompare(b.name)).map(({ name }) => name[0]).join(''))`);
  await waitForOrder('ABC');
  await findView(page, 'Bbb').click();
  // The next view is moved while the platform still stores this move.
  const held = await holdAnswers(page, '/v1/views/');
  await choose(page, 'Change the view', 'Move up');
  await waitForOrder('BAC');
  await page.getByRole('button', { name: 'Change the view' }).and(page.locator(':focus')).press('Enter');
  assert.equal(await page.getByRole('menuitem', { name: 'Move up' }).count(), 0);
  await page.keyboard.press('Escape');
  await dragBefore(page, 'Ccc', 'Bbb');
  await waitForOrder('CBA');
  await held.release();
  await waitUntil('the order CBA to be stored', async () => (await readStored()) === 'CBA');
  await page.reload();
  await waitForOrder('CBA');
  assert.deepEqual(complaints(), []);
  const other = await openConsole(platform, browser, { path: `/inbox/view-${id}`, role: 'OPERATOR' });
  await other.page.getByRole('heading', { name: 'Shared one' }).waitFor();
  assert.equal(await other.page.getByRole('button', { name: 'Change the view' }).count(), 0);
  await Promise.all([close(), other.close()]);
});

test('a view whose filters name a record that was deleted says so', async () => {
  const field = { title: 'Size', slug: 'size', context: 'conversation', type: 'TEXT' };
  const { body: made } = await call(201, 'POST', '/v1/custom-fields', { body: field });
  const filters = { filters: JSON.stringify([{ field: 'size', operator: 'is_empty' }]) };
  const { body: view } = await call(201, 'POST', '/v1/views', { body: { name: 'Sizes', is_shared: true, filters } });
  await call(200, 'DELETE', `/v1/custom-fields/${made._id}`);
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/view-${view._id}` });
  await page.getByText('A filter of this view names something that was deleted').waitFor();
  await close();
});

test('the filters unread and channel of a list follow what changes', async () => {
  const { body: contact } = await call(201, 'POST', '/v1/contacts', { body: { name: 'Dora Paz' } });
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Shop' } });
  const open = { body: { inbox: inbox._id, contact: contact._id } };
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await waitForRows(page, [caio, bia, ana]);
  await choose(page, 'Filter', 'Unread');
  await waitForRows(page, [caio, bia, ana]);
  await call(200, 'PUT', `/v1/conversations/${ids[1]}/read`);
  await waitForRows(page, [caio, ana]);
  await platform.receive({ from: await phoneOf(1), name: bia, text: 'Still there?' });
  await waitForRows(page, [bia, caio, ana]);
  await page.getByRole('button', { name: 'Remove the filter Unread' }).click();
  names.push('Dora Paz');
  await choose(page, 'Filter', 'Channel', 'Web chat');
  await waitForRows(page, []);
  const { body: conversation } = await call(201, 'POST', '/v1/conversations', open);
  await waitForRows(page, ['Dora Paz']);
  await change(0, { priority: 'LOW' });
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  await waitForRows(page, []);
  assert.deepEqual(complaints(), []);
  await close();
});

async function phoneOf(index: number): Promise<string> {
  const { body } = await call(200, 'GET', `/v1/conversations/${ids[index]}`);
  return body.contact_summary.phone_number.replace('+', '');
}

test('a view that is created while the views are read for the first time is shown', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/contacts' });
  await page.getByRole('heading', { name: 'Contacts' }).waitFor();
  const held = await holdAnswers(page, '/v1/views?');
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click();
  await held.answered();
  const body = { name: 'Late arrival', is_shared: true, filters: {} };
  const { body: view } = await call(201, 'POST', '/v1/views', { body });
  // What is written later arrives later.
  await writeAsContact(platform, { name: 'Lena Depois', text: 'Hello' });
  await findList(page)
    .getByRole('link', { name: /Lena Depois/ })
    .waitFor();
  assert.equal(await findView(page, 'Late arrival').count(), 0);
  await held.release();
  await findView(page, 'Late arrival').waitFor();
  await call(200, 'DELETE', `/v1/views/${view._id}`);
  assert.deepEqual(complaints(), []);
  await close();
});
