/** The inbox at the widths of screens, zoomed windows and phones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { conversation } = await writeAsContact(platform, { name: 'Maria Lia Prado', text: 'Where is my parcel?' });
const { _id: owner } = await createPerson(platform, platform.demo._id, 'OPERATOR');
await platform.call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { owner, status: 'PENDING' } });

/** Whether a part of the page shows all of its text. */
const isWhole = (part: Locator): Promise<boolean> =>
  part.evaluate((element) => element.scrollWidth <= element.clientWidth);

// 640 is a window of 1280 pixels at a zoom of 200 %.
for (const width of [1600, 1440, 1420, 1280, 1100, 1080, 1024, 820, 640, 390])
  test(`at ${width} pixels the open panel leaves a thread of 420 pixels and a whole composer, or takes their place on a phone`, async () => {
    const path = `/inbox/all/${conversation._id}`;
    const { page, complaints, close } = await openConsole(platform, browser, {
      path,
      viewport: { width, height: 800 },
    });
    const messages = page.getByRole('log', { name: 'Messages' });
    await messages.waitFor();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('On its way');
    assert.equal(await page.getByRole('complementary', { name: 'Contact details' }).count(), 0);
    const button = page.getByRole('button', { name: 'Contact details' });
    if (await button.isVisible()) await button.click();
    else {
      await page.locator('header').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Contact details' }).click();
    }
    const panel = page.getByRole('complementary', { name: 'Contact details' });
    await panel.getByText('Maria Lia Prado').waitFor();
    if (width <= 700) {
      assert.equal((await panel.boundingBox())?.width, width);
      assert.ok(await messages.isHidden());
    } else {
      assert.ok(await isWhole(page.getByRole('heading', { level: 1 })));
      assert.ok(await isWhole(page.locator('header p').first()));
      const box = await messages.boundingBox();
      assert.ok((box?.width ?? 0) >= 420, `the thread has ${box?.width} pixels`);
      await page.getByRole('button', { name: 'Send', exact: true }).click({ trial: true });
      assert.ok(await page.getByRole('button', { name: 'Send', exact: true }).isEnabled());
    }
    if (width < 1110) await panel.getByRole('button', { name: 'Close' }).click();
    else await button.click();
    await panel.waitFor({ state: 'detached' });
    assert.deepEqual(complaints(), []);
    await close();
  });

for (const { width, view } of [
  { width: 1024, view: 'all' },
  { width: 390, view: 'all' },
  { width: 1280, view: `all/${conversation._id}` },
])
  test(`at ${width} pixels the title of the list opens the views with their counts, by mouse and by keyboard`, async () => {
    const { page, complaints, close } = await openConsole(platform, browser, {
      path: `/inbox/${view}`,
      viewport: { width, height: 800 },
    });
    const views = page.getByRole('navigation', { name: 'Views' });
    if (width > 1100) {
      await views.getByRole('link', { name: /^All open/ }).waitFor();
      await page.getByRole('button', { name: 'Contact details' }).click();
    }
    await page.getByRole('button', { name: 'All open 1' }).click();
    assert.equal(await views.count(), 0);
    await page.getByRole('menuitem', { name: 'Pending 1' }).click();
    await page.waitForURL(/\/inbox\/pending$/);
    const title = page.getByRole('button', { name: 'Pending 1' });
    if (width > 1100) {
      // Without a conversation there is room for the column again.
      await views.getByRole('link', { name: /^Pending/ }).waitFor();
      await title.waitFor({ state: 'detached' });
      assert.deepEqual(complaints(), []);
      return close();
    }
    await title.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Mine' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    assert.deepEqual(await findBarriers(page), []);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/inbox\/unassigned$/);
    await page.getByRole('button', { name: 'Unassigned' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual(complaints(), []);
    await close();
  });

test('on a phone, the menu of a conversation begins with what is done most and ends with what is rare', async () => {
  const path = `/inbox/all/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, {
    path,
    viewport: { width: 390, height: 844 },
  });
  const menu = page.locator('header').getByRole('button', { name: 'More' });
  await menu.click();
  const items = page.getByRole('menuitem');
  await items.first().waitFor();
  const names = await items.allInnerTexts();
  assert.deepEqual(names.slice(0, 5), ['Assign', 'Snooze', 'Priority', 'Add or remove tags', 'Close']);
  assert.match(names.at(-1) ?? '', /^Text file/);
  await page.getByRole('menuitem', { name: 'Priority' }).click();
  await page.getByRole('menuitem', { name: 'High' }).click();
  await waitUntil('the priority', async () => {
    const { body } = await platform.call(200, 'GET', `/v1/conversations/${conversation._id}`);
    return body.priority === 'HIGH';
  });
  assert.deepEqual(complaints(), []);
  await close();
});

test('on a phone, lists show two lines in each row, nothing scrolls sideways, and the bar marks the button of the screen', async () => {
  const create = async (path: string, body: Json): Promise<string> =>
    (await platform.call(201, 'POST', path, { body })).body._id;
  await create('/v1/sla-policies', { name: 'Usual', first_reply_minutes: 60 });
  const columns = ['product', 'price', 'size'].map((key) => ({ key, title: `The ${key}`, type: 'TEXT' }));
  const table = await create('/v1/tables', { name: 'Prices', columns });
  const { page, complaints, close } = await openConsole(platform, browser, { viewport: { width: 390, height: 844 } });
  const bar = page.getByRole('navigation', { name: 'Screens' });
  for (const [path, row, mark] of [
    ['sla-policies', /Usual First reply: 1h$/, 'More'],
    ['contacts', /Maria Lia Prado \+/, 'Contacts'],
    [`contacts/${conversation.contact}`, null, 'Contacts'],
    [`tables/${table}`, null, 'More'],
    ['templates', /order_update Approved pt_BR$/, 'More'],
    ['audit', /API key: .*\d:\d\d/, 'More'],
    ['webhook', /Message received.*\d:\d\d/, 'More'],
  ] as const) {
    await page.goto(`${platform.url}/console/${path}`);
    await page.getByRole('main').locator('header').waitFor();
    if (row) {
      const shown = page.getByRole('row', { name: row }).first();
      await shown.waitFor();
      assert.ok(await shown.evaluate((element) => element.scrollHeight <= element.clientHeight), path);
    } else
      await page
        .getByRole('main')
        .getByText(/^(No rows yet|Where is my parcel\?)$/)
        .waitFor();
    assert.ok(await isWhole(page.getByRole('main').locator('> div')), path);
    assert.match((await bar.locator('[aria-current]:visible').textContent()) ?? '', new RegExp(`^${mark}`));
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('at 1280 pixels the board shows six columns and the names on its cards, and the list the name of a saved view', async () => {
  const body = { name: 'Urgent and waiting', is_shared: true, filters: { priority: 'URGENT' } };
  const { _id: view } = (await platform.call(201, 'POST', '/v1/views', { body })).body;
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  const column = page.getByRole('region', { name: 'No stage' });
  await column.getByText('Maria Lia Prado').waitFor();
  const columns = column.locator('..');
  assert.equal(await columns.getByRole('region').count(), 6);
  assert.ok(await isWhole(columns));
  for (const sort of ['Newest', 'Oldest waiting']) {
    await page.goto(`${platform.url}/console/inbox/view-${view}`);
    await page.getByRole('button', { name: /^Sort by/ }).click();
    await page.getByRole('menuitem', { name: sort }).click();
    await page.getByRole('button', { name: `Sort by: ${sort}` }).waitFor();
    assert.ok(await isWhole(page.getByRole('heading', { name: 'Urgent and waiting' })), sort);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('a window that becomes wider and narrower keeps the inbox and the open conversation', async () => {
  const path = `/inbox/all/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const field = page.getByRole('textbox', { name: 'Write a message' });
  await field.fill('On its way');
  for (const width of [1000, 1200, 1500, 700, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await field.waitFor();
    assert.equal(await field.inputValue(), 'On its way');
  }
  assert.deepEqual(complaints(), []);
  await close();
});
