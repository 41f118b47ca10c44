/** Merging a conversation into another one of its contact, in the console. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, holdAnswers, openConsole, waitForSent } from '../support/console.ts';
import { makePhoneNumber } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const browser = await startBrowser();
const { call } = platform;
const viewport = { width: 1440, height: 900 };

/** A contact with a closed conversation and a later one that is open. */
async function serveTwice(name: string): Promise<{ older: Json; newer: Json }> {
  const from = makePhoneNumber();
  const { conversation: older } = await writeAsContact(platform, { from, name, text: 'Where is my order?' });
  await call(200, 'PATCH', `/v1/conversations/${older['_id']}`, { body: { status: 'CLOSED' } });
  const { conversation: newer } = await writeAsContact(platform, { from, name, text: 'Still nothing here' });
  return { older, newer };
}

/** Opens the menu in the head of the conversation. */
const openMenu = (page: Page): Promise<void> =>
  page.locator('header').getByRole('button', { name: 'More' }).first().click();

/** Opens the dialog that merges the open conversation, from its menu. */
async function openMergeDialog(page: Page): Promise<void> {
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Merge into…' }).click();
}

/** Merges the open conversation into the one that shows this text. */
async function mergeInto(page: Page, text: RegExp): Promise<void> {
  await openMergeDialog(page);
  await findDialog(page).getByRole('button', { name: text }).click();
  await findDialog(page).getByRole('button', { name: 'Merge' }).click();
}

const findDraft = (page: Page) => page.getByLabel('Write a message');

const waitForDraft = (page: Page, text: string): Promise<unknown> =>
  waitUntil(`the draft "${text}"`, async () => (await findDraft(page).inputValue()) === text);

/** Writes a draft, and waits for the answer to the call that tells others of it. Once the conversation is merged, that call fails. */
async function write(page: Page, text: string): Promise<void> {
  const typing = page.waitForResponse((answer) => !!answer.request().postData()?.includes('TYPING'));
  await findDraft(page).fill(text);
  await typing;
}

const SEND = '**/v1/messages/send-text';

const refuseToSend = (page: Page): Promise<unknown> =>
  page.route(SEND, (route) => route.fulfill({ status: 400, json: {} }));

const withoutRefusals = (complaints: string[]): string[] =>
  complaints.filter((text) => !text.includes('status of 400'));

/** Delays messages from other tabs until the promise `globalThis.held` resolves. */
const HOLD_WORDS = `
  BroadcastChannel.prototype.addEventListener = function (type, listen) {
    EventTarget.prototype.addEventListener.call(this, type, async (event) => {
      await globalThis.held;
      listen(event);
    });
  };
`;

test('a conversation is merged into another one by keyboard alone, which then is open with the messages and the draft of both', async () => {
  const { older, newer } = await serveTwice('Mara Twice');
  const { page, complaints, close } = await openConsole(platform, browser, {
    path: `/inbox/all/${newer['_id']}`,
    viewport,
  });
  const { keyboard } = page;
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  // A menu that was open before must not get the focus afterwards.
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menu').waitFor();
  await keyboard.press('Escape');
  await findDraft(page).fill('We are looking');
  await keyboard.press('Escape');
  await keyboard.press('Control+k');
  await keyboard.type('merge');
  await page.getByRole('option', { name: 'Merge into another conversation…' }).waitFor();
  await keyboard.press('Enter');
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: /Where is my order\?.*Closed/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  while (!(await dialog.getByRole('button', { name: /Where is my order/ }).evaluate((one) => one.matches(':focus'))))
    await keyboard.press('Tab');
  await keyboard.press('Enter');
  await dialog.getByText('This cannot be undone', { exact: false }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  while (!(await dialog.getByRole('button', { name: 'Merge' }).evaluate((one) => one.matches(':focus'))))
    await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.waitForURL(`**/inbox/all/${older['_id']}`);
  for (const text of ['Where is my order?', 'Still nothing here', 'Another conversation was merged into this one'])
    await page.getByRole('log').getByText(text).waitFor();
  assert.equal(await findDraft(page).inputValue(), 'We are looking');
  await page.locator('[data-composer] textarea:focus').waitFor();
  const { body } = await call(200, 'GET', `/v1/conversations/${older['_id']}`);
  assert.equal(body.status, 'OPEN');
  assert.deepEqual(complaints(), []);
  await close();
});

test('the menu of a conversation merges it, and another user sees the messages arrive, with what was begun in the one that is gone', async () => {
  const { older, newer } = await serveTwice('Nilo Twice');
  const [from = '', into = ''] = [older, newer].map(({ _id }) => `/inbox/all/${_id}`);
  const mine = await openConsole(platform, browser, { path: from, viewport });
  const others = await openConsole(platform, browser, { path: from, viewport, role: 'OPERATOR' });
  await write(others.page, 'I will look');
  await others.page.goto(`${platform.url}/console${into}`);
  await others.page.getByRole('log').getByText('Still nothing here').waitFor();
  const { page } = mine;
  await page.getByRole('log').getByText('Where is my order?').waitFor();
  await mergeInto(page, /Still nothing here/);
  await page.waitForURL(`**${into}`);
  await others.page.getByRole('log').getByText('Where is my order?').waitFor();
  await waitForDraft(others.page, 'I will look');
  assert.deepEqual([...mine.complaints(), ...others.complaints()], []);
  await Promise.all([mine.close(), others.close()]);
});

test('a user who looks at a conversation that another user merges goes on in the one that stays, with what was begun or not sent', async () => {
  const { older, newer } = await serveTwice('Rita Twice');
  const path = `/inbox/all/${newer['_id']}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path, viewport });
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  await refuseToSend(page);
  await write(page, 'Sorry for the delay');
  await findDraft(page).press('Enter');
  await page.getByText('Not sent').waitFor();
  await page.unroute(SEND);
  await page.reload();
  await page.getByText('Not sent').waitFor();
  await page.getByRole('searchbox').fill('Rita');
  await write(page, 'One moment');
  await call(201, 'POST', `/v1/conversations/${older['_id']}/merge`, { body: { conversation: newer['_id'] } });
  await page.waitForURL(`**/inbox/all/${older['_id']}`);
  await page.getByRole('log').getByText('Where is my order?').waitFor();
  assert.equal(await findDraft(page).inputValue(), 'One moment');
  assert.equal(await page.getByRole('searchbox').inputValue(), 'Rita');
  await page.getByRole('button', { name: 'Send again' }).click();
  await waitForSent(page.getByRole('article').filter({ hasText: 'Sorry for the delay' }));
  assert.deepEqual(withoutRefusals(complaints()), []);
  await close();
});

test('a merge that waits behind a message is left out when the message is not sent, and the dialog says so', async () => {
  const { older, newer } = await serveTwice('Vera Twice');
  const path = `/inbox/all/${newer['_id']}`;
  const { page, complaints, calls, close } = await openConsole(platform, browser, { path, viewport });
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  await refuseToSend(page);
  const held = await holdAnswers(page, '/v1/messages/send-text');
  await write(page, 'Sorry for the delay');
  await findDraft(page).press('Enter');
  await held.answered();
  await mergeInto(page, /Where is my order/);
  await held.release();
  await findDialog(page).getByText('Nothing was changed', { exact: false }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.ok(!calls().some((address) => address.endsWith('/merge')));
  await call(200, 'GET', `/v1/conversations/${newer['_id']}`);
  assert.equal((await call(200, 'GET', `/v1/conversations/${older['_id']}`)).body.status, 'CLOSED');
  assert.deepEqual(withoutRefusals(complaints()), []);
  await close();
});

test('the merge dialog closes when the user opens another conversation, and stays closed on the way back', async () => {
  const { newer } = await serveTwice('Wanda Twice');
  const { conversation: other } = await writeAsContact(platform, { name: 'Otto Other', text: 'Good morning' });
  const path = `/inbox/all/${other._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path, viewport });
  await page.getByRole('log').getByText('Good morning').waitFor();
  await page
    .getByRole('region', { name: 'Conversations' })
    .getByRole('link', { name: /Wanda Twice/ })
    .click();
  await page.waitForURL(`**/${newer['_id']}`);
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  await openMergeDialog(page);
  await findDialog(page)
    .getByRole('button', { name: /Where is my order/ })
    .waitFor();
  // The dialog covers the list, but the browser's own buttons still work.
  for (const [go, text] of [
    [() => page.goBack(), 'Good morning'],
    [() => page.goForward(), 'Still nothing here'],
  ] as const) {
    await go();
    await page.getByRole('log').getByText(text).waitFor();
    // The click succeeds only if no dialog covers the field.
    await findDraft(page).click();
    assert.equal(await findDialog(page).count(), 0);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('a user who opens another conversation while one is merged stays there, and a failure is said there', async () => {
  const { conversation: other } = await writeAsContact(platform, { name: 'Otto Elsewhere', text: 'Good evening' });
  for (const [name, isRefused, notice] of [
    ['Zora Twice', false, 'Conversations merged'],
    ['Zelda Twice', true, 'Nothing was changed'],
  ] as const) {
    const { newer } = await serveTwice(name);
    const path = `/inbox/all/${newer['_id']}`;
    const { page, complaints, close } = await openConsole(platform, browser, { path, viewport });
    await page.getByRole('log').getByText('Still nothing here').waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const isHeld = isRefused ? SEND : '**/merge';
    await page.route(isHeld, async (route) => {
      await held;
      await (isRefused ? route.fulfill({ status: 400, json: {} }) : route.continue());
    });
    const asked = page.waitForRequest(isHeld);
    if (isRefused) {
      await write(page, 'Sorry for the delay');
      await findDraft(page).press('Enter');
    }
    await mergeInto(page, /Where is my order/);
    await asked;
    await page.evaluate(`history.pushState(null, '', '/console/inbox/all/${other._id}')`);
    await page.getByRole('log').getByText('Good evening').waitFor();
    release();
    await page.locator('[data-notice]', { hasText: notice }).waitFor();
    assert.match(page.url(), new RegExp(other._id));
    assert.deepEqual(withoutRefusals(complaints()), []);
    await close();
  }
});

test('a failure is said to a user who has gone back to the choice while the merge waited', async () => {
  const { newer } = await serveTwice('Ximena Twice');
  const path = `/inbox/all/${newer['_id']}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path, viewport });
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  await refuseToSend(page);
  const held = await holdAnswers(page, '/v1/messages/send-text');
  await write(page, 'Sorry for the delay');
  await findDraft(page).press('Enter');
  await held.answered();
  await mergeInto(page, /Where is my order/);
  await findDialog(page).getByRole('button', { name: 'Back' }).click();
  await findDialog(page)
    .getByRole('button', { name: /Where is my order/ })
    .waitFor();
  await held.release();
  await page.locator('[data-notice]', { hasText: 'Nothing was changed' }).waitFor();
  assert.deepEqual(withoutRefusals(complaints()), []);
  await close();
});

test('the merge dialog closes when another user merges its conversation', async () => {
  const { older, newer } = await serveTwice('Xenia Twice');
  const path = `/inbox/all/${newer['_id']}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path, viewport });
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  await openMergeDialog(page);
  await findDialog(page)
    .getByRole('button', { name: /Where is my order/ })
    .click();
  await call(201, 'POST', `/v1/conversations/${older['_id']}/merge`, { body: { conversation: newer['_id'] } });
  await page.waitForURL(`**/inbox/all/${older['_id']}`);
  await findDraft(page).click();
  assert.equal(await findDialog(page).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a draft moves only once when two tabs hear of the same merge', async () => {
  const { older, newer } = await serveTwice('Yara Twice');
  const [from = '', into = ''] = [newer, older].map(({ _id }) => `/inbox/all/${_id}`);
  const { page, complaints, close } = await openConsole(platform, browser, { path: from, viewport });
  await write(page, 'One moment');
  const second = await page.context().newPage();
  await second.addInitScript(HOLD_WORDS);
  await second.goto(`${platform.url}/console${into}`);
  await second.getByRole('log').getByText('Where is my order?').waitFor();
  await second.evaluate(`
    const { promise, resolve } = Promise.withResolvers();
    Object.assign(globalThis, { held: promise, release: resolve });
  `);
  await call(201, 'POST', `/v1/conversations/${older['_id']}/merge`, { body: { conversation: newer['_id'] } });
  await page.waitForURL(`**${into}`);
  // The draft reaches the second tab through the browser's storage.
  for (const tab of [page, second]) await waitForDraft(tab, 'One moment');
  const news = second.getByRole('log').getByText('Another conversation was merged into this one');
  assert.equal(await news.count(), 0);
  await second.evaluate('release()');
  await news.waitFor();
  for (const tab of [page, second]) assert.equal(await findDraft(tab).inputValue(), 'One moment');
  await page.reload();
  await page.getByRole('log').getByText('Where is my order?').waitFor();
  assert.equal(await findDraft(page).inputValue(), 'One moment');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a user who may only read is not offered a merge, and marks nothing as read', async () => {
  const { newer } = await serveTwice('Pia Twice');
  const path = `/inbox/all/${newer['_id']}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path, viewport, role: 'VIEWER' });
  await page.getByRole('log').getByText('Still nothing here').waitFor();
  await openMenu(page);
  await page.getByRole('menuitem').first().waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Merge into…' }).count(), 0);
  assert.equal((await call(200, 'GET', `/v1/conversations/${newer['_id']}`)).body.unread_count, 1);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the dialog says that there is nothing to merge when the contact has no other conversation in the inbox', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Olga Once', text: 'Hello' });
  const path = `/inbox/all/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path, viewport });
  await page.getByRole('log').getByText('Hello').waitFor();
  await openMergeDialog(page);
  await findDialog(page).getByText('The contact has no other conversation in this inbox', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(complaints(), []);
  await close();
});
