/** Messages that are sent later or taken back, and what the composer says about the inbox and the time that is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import {
  findBarriers,
  findDialog,
  openConsole,
  waitForSent,
  type ConsoleOptions,
  type OpenConsole,
} from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const { call, database } = platform;
const browser = await startBrowser();

/** Opens the conversation of a contact who has written. */
async function converse(options: ConsoleOptions = {}): Promise<OpenConsole & { conversation: string }> {
  const { conversation } = await writeAsContact(platform);
  const opened = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}`, ...options });
  return { ...opened, conversation: conversation._id };
}

/** A time in a month, as a page in UTC has it in its field. */
const IN_A_MONTH = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T10:30`;

const findField = (page: Page) => page.getByRole('textbox', { name: 'Write a message' });
const listSent = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result.filter(
    ({ message_type }: Json) => message_type === 'OUTGOING',
  );
const listScheduled = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/scheduled-messages?conversation=${conversation}`)).body.result;

async function sendLater(page: Page, text: string): Promise<void> {
  await findField(page).fill(text);
  await page.getByRole('button', { name: 'Send later' }).click();
  await page.getByRole('menuitem', { name: /^Tomorrow morning/ }).click();
  await page
    .getByRole('article')
    .filter({ hasText: text })
    .getByText(/^Scheduled for/)
    .waitFor();
}

test('a message is sent later: the thread shows it with its text and time, which can be changed, and it can be sent now or cancelled back into the composer', async () => {
  const { page, conversation, complaints, close } = await converse({ timezoneId: 'UTC' });
  await sendLater(page, 'Bom dia!');
  const [{ send_at, status } = { send_at: '', status: '' }] = await listScheduled(conversation);
  assert.equal(status, 'SCHEDULED');
  assert.match(send_at, /T09:00:00\.000Z$/);
  await page.getByText(/^Scheduled for/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit the scheduled message' });
  await dialog.getByLabel('Text').fill('');
  assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled());
  await dialog.getByLabel('Text').fill('Bom domingo!');
  await dialog.getByLabel('Send at').fill(IN_A_MONTH);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText(/^Scheduled for/)
    .and(page.locator(`time[datetime="${IN_A_MONTH}:00.000Z"]`))
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(/^Scheduled for/).waitFor({ state: 'detached' });
  await waitUntil('the text to be back', async () => (await findField(page).inputValue()) === 'Bom domingo!');
  await sendLater(page, 'Boa tarde!');
  await page.getByRole('button', { name: 'Send now' }).click();
  await waitForSent(page.getByRole('article').filter({ hasText: 'Boa tarde!' }));
  await page.getByText(/^Scheduled for/).waitFor({ state: 'detached' });
  assert.deepEqual(
    (await listSent(conversation)).map(({ content }) => content),
    ['Boa tarde!'],
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('the text of a scheduled message cannot be saved with a variable that is left', async () => {
  const { page, conversation, close } = await converse();
  await sendLater(page, 'Bom dia!');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit the scheduled message' });
  const save = dialog.getByRole('button', { name: 'Save' });
  await dialog.getByLabel('Text').fill('Olá {{contact.email}}');
  await dialog.getByText('The contact has no value for {{contact.email}}.').waitFor();
  assert.ok(await save.isDisabled());
  await dialog.getByLabel('Text').fill('Olá Maria');
  await save.click();
  await waitUntil('the text to be saved', async () => {
    const [scheduled] = await listScheduled(conversation);
    return scheduled?.message.content === 'Olá Maria';
  });
  await close();
});

test('what another person or program schedules, changes and cancels is shown while the thread is open', async () => {
  const { page, conversation, close } = await converse();
  const send_at = `${IN_A_MONTH}:00.000Z`;
  const body = { conversation, message: { content: 'Amanhã chegamos' }, send_at };
  const { _id } = (await call(201, 'POST', '/v1/scheduled-messages', { body })).body;
  await page.getByText('Amanhã chegamos').waitFor();
  await call(200, 'PATCH', `/v1/scheduled-messages/${_id}`, { body: { message: { content: 'Depois de amanhã' } } });
  await page.getByText('Depois de amanhã').waitFor();
  await call(201, 'POST', `/v1/scheduled-messages/${_id}/cancel`);
  await page.getByText('Depois de amanhã').waitFor({ state: 'detached' });
  await close();
});

test('a send is undone by Ctrl Z in the empty composer or by its button, is sent once the time is over, and at once when the conversation is closed', async () => {
  const { page, conversation, close } = await converse({ undoSeconds: 20 });
  const field = findField(page);
  await field.fill('Oops');
  await field.press('Enter');
  await page.getByText(/^Sending in/).waitFor();
  await field.press('Control+z');
  await waitUntil('the text to be back', async () => (await field.inputValue()) === 'Oops');
  await field.press('Enter');
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitUntil('the text to be back', async () => (await field.inputValue()) === 'Oops');
  assert.deepEqual(await listSent(conversation), []);
  await field.fill('Certo');
  await field.press('Enter');
  await page.getByText(/^Sending in/).waitFor();
  // The page is gone while the platform holds the message.
  await page.goto('about:blank');
  await database.sql('update scheduled_messages set send_at = now(), held_until = now() where conversation_id = $1', [
    conversation,
  ]);
  await waitUntil('the message to be sent', async () => (await listSent(conversation)).length === 1);
  await page.goto(`${platform.url}/console/inbox/all/${conversation}`);
  await field.fill('Até logo');
  await field.press('Enter');
  await page.getByText(/^Sending in/).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  assert.deepEqual(
    (await listSent(conversation)).map(({ content, status }) => [content, status !== 'FAILED']),
    [
      ['Certo', true],
      ['Até logo', true],
    ],
  );
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation}`)).body.status, 'CLOSED');
  await close();
});

test('a message that is held shows the quote of what it answers and the text of its template, and the choice of templates says how many are missing and why', async () => {
  const { page, conversation, complaints, close } = await converse({ undoSeconds: 20 });
  const { body: first } = await call(200, 'GET', `/v1/messages/conversation/${conversation}`);
  const asked = page.getByRole('article').filter({ hasText: first.result[0].content });
  await asked.hover();
  await asked.getByRole('button', { name: 'Reply' }).click();
  await findField(page).fill('Sim, claro');
  await findField(page).press('Enter');
  const held = page.getByRole('article').filter({ hasText: 'Sending in' });
  await held.filter({ hasText: 'Sim, claro' }).getByRole('blockquote').getByText(first.result[0].content).waitFor();
  await page.getByRole('button', { name: 'Send a template' }).click();
  const dialog = findDialog(page);
  const { body: templates } = await call(200, 'GET', `/v1/inboxes/${platform.demo.inbox}/templates?limit=100`);
  const count = (wanted: string): number => templates.result.filter(({ status }: Json) => status === wanted).length;
  const [inReview, paused] = [count('PENDING'), count('PAUSED')];
  assert.ok(inReview > 0 && paused > 0);
  await dialog.getByText(`Not shown: ${inReview} in review, ${paused} paused.`).waitFor();
  await dialog.getByRole('button', { name: /order_update · pt_BR/ }).click();
  await dialog.getByText('Example: Ana', { exact: true }).waitFor();
  await dialog.getByLabel('Value 1').fill('Ana');
  await dialog.getByLabel('Value 2').fill('4821');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await held.filter({ hasText: 'Template order_update' }).getByText('Oi, Ana! O seu pedido').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a message that a colleague has just sent names them, and only they can undo it', async () => {
  const { page, conversation, close } = await converse();
  const { token } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Rosa Lima');
  const body = { conversation, message: { content: 'Já respondo' }, hold_seconds: 60 };
  await call(201, 'POST', '/v1/scheduled-messages', { key: token, body });
  const held = page.getByRole('article').filter({ hasText: 'Já respondo' });
  await held.getByText(/^Sending in/).waitFor();
  await held.getByText('by Rosa Lima').waitFor();
  assert.equal(await held.getByRole('button', { name: 'Undo' }).count(), 0);
  await close();
});

test('cancelling what a colleague has scheduled asks first, because its text is lost', async () => {
  const { page, conversation, complaints, close } = await converse();
  const { token } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Rosa Lima');
  const body = { conversation, message: { content: 'Até sexta' }, send_at: `${IN_A_MONTH}:00.000Z` };
  await call(201, 'POST', '/v1/scheduled-messages', { key: token, body });
  const bubble = page.getByRole('article').filter({ hasText: 'Até sexta' });
  const question = page.getByRole('dialog', { name: 'Cancel the message by Rosa Lima?' });
  await bubble.getByRole('button', { name: 'Cancel' }).click();
  await question.getByText('its text is lost').waitFor();
  await question.getByRole('button', { name: 'Back' }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal((await listScheduled(conversation))[0]?.['status'], 'SCHEDULED');
  await bubble.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Cancel the message' }).click();
  await bubble.waitFor({ state: 'detached' });
  await waitUntil('the cancelling', async () => (await listScheduled(conversation))[0]?.['status'] === 'CANCELLED');
  assert.deepEqual(complaints(), []);
  await close();
});

test('an undo that comes too late says quietly that the message was sent', async () => {
  const { page, conversation, close } = await converse({ undoSeconds: 20 });
  await findField(page).fill('Já vai');
  await page.route('**/v1/scheduled-messages/*/cancel', async (route) => {
    const [{ _id } = { _id: '' }] = await listScheduled(conversation);
    await call(201, 'POST', `/v1/scheduled-messages/${_id}/send`);
    await route.continue();
  });
  await findField(page).press('Enter');
  await page.getByText(/^Sending in/).waitFor();
  await findField(page).press('Control+z');
  await page.getByText('Already sent').waitFor();
  await page.getByText(/^Sending in/).waitFor({ state: 'detached' });
  assert.equal(await page.getByText('already sent or cancelled').count(), 0);
  assert.equal(await findField(page).inputValue(), '');
  await close();
});

test('a thread shows more failed scheduled messages than a page has, and says when they cannot be read', async () => {
  const { page, conversation, close } = await converse();
  const body = { conversation, message: { content: 'Parada 0' }, send_at: `${IN_A_MONTH}:00.000Z` };
  const { _id } = (await call(201, 'POST', '/v1/scheduled-messages', { body })).body;
  await database.sql(
    `insert into scheduled_messages (company_id, _id, conversation_id, actor, message, status, send_at, created_at)
      select company_id, new_id(), conversation_id, actor, jsonb_set(message, '{content}', to_jsonb('Parada ' || n)), 'FAILED',
        now() + n * interval '1 second', now() + n * interval '1 second'
      from scheduled_messages, generate_series(1, 101) n where _id = $1`,
    [_id],
  );
  // Only the rows near the place to which the thread is scrolled are on the page.
  const scrollTo = (text: string, end: 'top' | 'bottom'): Promise<unknown> =>
    waitUntil(text, async () => {
      await page.getByRole('log').evaluate((log, to) => log.scrollTo(0, to === 'top' ? 0 : log.scrollHeight), end);
      return page.getByText(text, { exact: true }).isVisible();
    });
  await page.reload();
  await scrollTo('Parada 101', 'bottom');
  await scrollTo('Parada 1', 'top');
  const failing = '**/v1/scheduled-messages?*';
  const problem = { code: 'FORBIDDEN', title: 'Forbidden', detail: 'Forbidden', errors: [] };
  await page.route(failing, (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
  );
  await page.reload();
  await page.getByText(/^Scheduled messages were not loaded/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.unroute(failing);
  await page.getByRole('button', { name: 'Try again' }).click();
  await scrollTo('Parada 101', 'bottom');
  await page.getByText(/^Scheduled messages were not loaded/).waitFor({ state: 'detached' });
  await close();
});

test('a note is neither scheduled nor held: its tab offers no later time, and the note is stored at once', async () => {
  const { page, conversation, complaints, close } = await converse({ undoSeconds: 20 });
  await page.getByRole('tab', { name: 'Note' }).click();
  const field = page.getByRole('textbox', { name: 'Write a note for your team' });
  await field.fill('Só para nós');
  await page.getByRole('button', { name: 'Add note' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send later' }).count(), 0);
  await field.press('Enter');
  await waitUntil('the note', async () =>
    (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result.some(
      ({ message_type, content }: Json) => message_type === 'NOTE' && content === 'Só para nós',
    ),
  );
  assert.deepEqual(await listScheduled(conversation), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the setting for undoing a send is kept in the browser, and Off sends at once', async () => {
  const { page, conversation, close } = await converse({ undoSeconds: null });
  await page.goto(`${platform.url}/console/profile`);
  assert.equal(await page.getByLabel('Undo send').inputValue(), '10');
  await page.getByLabel('Undo send').selectOption({ label: 'Off' });
  await page.goto(`${platform.url}/console/inbox/all/${conversation}`);
  await findField(page).fill('Oi');
  await findField(page).press('Enter');
  await waitForSent(page.getByRole('article').filter({ hasText: 'Oi' }));
  assert.deepEqual(await listScheduled(conversation), []);
  await close();
});

test('the composer names the sending inbox and the time that is left, and offers only a template once it is over', async () => {
  const { page, conversation, close } = await converse();
  const composer = page.locator('[data-composer]');
  const setWindow = (interval: string): Promise<unknown> =>
    database.sql(
      'update conversations set window_expires_at = now() + $2::interval, updated_at = now() where _id = $1',
      [conversation, interval],
    );
  await composer.getByText('Sandbox phone').waitFor();
  await composer.getByText(/^Replies until .+, 23h left$/).waitFor();
  const spanish = await converse({ language: 'es' });
  await spanish.page.getByText(/^Respuestas hasta el \p{L}+, \d+:\d\d, quedan/u).waitFor();
  await spanish.close();
  await setWindow('119 minutes');
  await page.reload();
  await composer
    .getByText(/^Replies until .+, 1h left$/)
    .and(page.locator('[data-level=short]'))
    .waitFor();
  await setWindow('-1 minute');
  await page.reload();
  await composer.getByText('Only a template can be sent').waitFor();
  assert.equal(await composer.getByRole('button', { name: 'Send', exact: true }).count(), 0);
  await composer.getByRole('button', { name: 'Send a template' }).click();
  await page.getByRole('dialog', { name: 'Send a template' }).waitFor();
  await close();
});
