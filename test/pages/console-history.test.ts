/** The contact's earlier conversations above the open one, in one scroll. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, holdAnswers, openConsole } from '../support/console.ts';
import { makePhoneNumber } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { sendText, writeAsContact } from '../support/traffic.ts';
import { newId } from '../../src/platform/values/ids.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, database, demo } = platform;

const close = (id: string): Promise<unknown> =>
  call(200, 'PATCH', `/v1/conversations/${id}`, { body: { status: 'CLOSED' } });
/** Moves a conversation with its messages into the past. */
const age = async (id: string, days: number): Promise<void> => {
  const columns = ['created_at', 'closed_at', 'last_message_at'];
  const moved = columns.map((column) => `${column} = ${column} - make_interval(days => $2)`).join(', ');
  await database.sql(`update conversations set ${moved} where _id = $1`, [id, days]);
  await database.sql(
    'update messages set created_at = created_at - make_interval(days => $2) where conversation_id = $1',
    [id, days],
  );
};

/** A contact with a conversation in the web chat, one by WhatsApp with a failed message, and an open one. */
async function makePast(name: string): Promise<{ from: string; chat: Json; middle: Json; open: Json }> {
  const from = makePhoneNumber();
  const {
    message: asked,
    conversation: middle,
    contact,
  } = await writeAsContact(platform, { from, name, text: 'Second talk' });
  await sendText(platform, middle._id, { content: 'Quoting you', replyTo: asked._id });
  await close(middle._id);
  await age(middle._id, 10);
  const inbox = (
    await call(201, 'POST', '/v1/inboxes', {
      body: { channel: 'WEB_V2', name: 'Site', web_config: { allowed_origins: ['https://shop.example.com'] } },
    })
  ).body;
  const chat = (await call(201, 'POST', '/v1/conversations', { body: { inbox: inbox._id, contact: contact._id } }))
    .body;
  await call(201, 'POST', '/v1/messages/note', {
    body: { conversationId: chat._id, message: { content: 'First talk' } },
  });
  await close(chat._id);
  await age(chat._id, 30);
  const { conversation: open } = await writeAsContact(platform, { from, text: 'Third talk' });
  return { from, chat, middle, open };
}

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const findLog = (page: Page) => page.getByRole('log', { name: 'Messages' });
const readHeads = (page: Page): Promise<string[]> =>
  findLog(page)
    .locator('h2:has(a), h2[data-current]')
    .allInnerTexts()
    .then((heads) => heads.map((head) => head.replaceAll(/\s+/g, ' ')));

test('scrolling up shows the earlier conversations of the contact in all channels, which are read only', async () => {
  const { chat, middle, open } = await makePast('Maria Past');
  const {
    page,
    complaints,
    calls,
    close: end,
  } = await openConsole(platform, browser, { path: `/inbox/all/${open._id}` });
  const bubble = (text: string) => page.getByRole('article').filter({ hasText: text });
  await bubble('Third talk').waitFor();
  const isAboutPast = (path: string): boolean => path.includes('sort=-createdAt') && path.includes('contact=');
  assert.deepEqual(calls().filter(isAboutPast), []);
  await findLog(page).hover();
  await page.mouse.wheel(0, -200);
  await bubble('First talk').waitFor();
  const heads = await readHeads(page);
  assert.equal(heads.length, 3);
  assert.match(heads[0] ?? '', /^Site .* Closed Open$/);
  assert.match(heads[1] ?? '', / Closed Open$/);
  assert.match(heads[2] ?? '', / Open This conversation$/);
  const texts = await page.getByRole('article').allInnerTexts();
  const order = ['First talk', 'Second talk', 'Quoting you', 'Third talk'];
  assert.deepEqual(
    texts.map((text, place) => (text.includes(order[place] ?? '') ? order[place] : text)),
    order,
  );
  await bubble('Second talk').first().hover();
  assert.equal(await bubble('Second talk').getByRole('button', { name: 'Reply' }).count(), 0);
  assert.equal(await bubble('Third talk').getByRole('button', { name: 'Reply' }).count(), 1);
  assert.deepEqual(await findBarriers(page), []);
  await findLog(page).getByRole('link', { name: 'Open' }).first().click();
  await page.waitForURL(new RegExp(chat._id as string));
  await page.goBack();
  assert.notEqual(middle._id, chat._id);
  assert.deepEqual(complaints(), []);
  await end();
});

test('a loaded earlier conversation moves nothing that is in view', async () => {
  const { from, open } = await makePast('Eva Past');
  for (let count = 0; count < 25; count += 1) await writeAsContact(platform, { from, text: `Line ${count}` });
  const { page, complaints, close: end } = await openConsole(platform, browser, { path: `/inbox/all/${open._id}` });
  const bubble = (text: string) => page.getByRole('article').filter({ hasText: text });
  await bubble('Line 24').waitFor();
  const held = await holdAnswers(page, 'contact=');
  await findLog(page).hover();
  await page.mouse.wheel(0, -20_000);
  await held.answered();
  await bubble('Third talk').waitFor();
  await page.getByRole('log').getByText('Loading…').waitFor();
  const before = await bubble('Third talk').boundingBox();
  await held.release();
  await bubble('Quoting you').waitFor();
  await page.evaluate(TWO_FRAMES);
  const after = await bubble('Third talk').boundingBox();
  // The row that said that something is loaded, and the day, may be gone from above it.
  assert.ok(before && after && Math.abs(before.y - after.y) <= 2, `${before?.y} became ${after?.y}`);
  assert.deepEqual(complaints(), []);
  await end();
});

test('a change of an earlier message and a message of the open conversation appear while both are shown', async () => {
  const { from, chat, open } = await makePast('Rui Past');
  const {
    page,
    complaints,
    close: end,
  } = await openConsole(platform, browser, {
    path: `/inbox/all/${open._id}`,
    viewport: { width: 390, height: 700 },
  });
  await page.getByRole('button', { name: 'Earlier conversations' }).click();
  await page.getByRole('article').filter({ hasText: 'First talk' }).waitFor();
  assert.equal(await page.evaluate(`document.activeElement.getAttribute('role')`), 'log');
  await writeAsContact(platform, { from, text: 'And now?' });
  await page.getByRole('article').filter({ hasText: 'And now?' }).waitFor();
  await database.sql(`update messages set content = 'Changed talk', updated_at = now() where conversation_id = $1`, [
    chat._id,
  ]);
  await page.getByRole('article').filter({ hasText: 'Changed talk' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await end();
});

test('a contact with two hundred conversations is scrolled through to the first, and the list stays where it is', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Ana Past', text: 'The newest' });
  await database.sql(
    `with made as (
       insert into conversations (company_id, _id, inbox_id, contact_id, channel, status, handled_by, created_at, closed_at)
         select v.company_id, substr(md5(v._id || n), 1, 24), v.inbox_id, v.contact_id, v.channel, 'CLOSED', 'NONE',
           v.created_at - make_interval(days => n), v.created_at - make_interval(days => n)
         from conversations v, generate_series(1, 200) n where v._id = $1
       returning *
     )
     insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
         content_type, content, status, created_at)
       select company_id, substr(md5(_id || 'm'), 1, 24), _id, contact_id, inbox_id, channel, 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT',
         'Talk of ' || to_char(created_at, 'YYYY-MM-DD'), 'RECEIVED', created_at from made`,
    [conversation._id],
  );
  const {
    page,
    complaints,
    close: end,
  } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const newest = page.getByRole('article').filter({ hasText: 'The newest' });
  await newest.waitFor();
  const before = await newest.boundingBox();
  await findLog(page).focus();
  await page.keyboard.press('ArrowUp');
  await page.getByText('This conversation').waitFor();
  assert.ok(before);
  const [first] = await database.sql<{ day: string }>(
    `select to_char(min(created_at), 'YYYY-MM-DD') as day from conversations where contact_id = $1`,
    [contact._id],
  );
  const oldest = page.getByText(`Talk of ${first?.day}`);
  await findLog(page).hover();
  while ((await oldest.count()) === 0) {
    await page.mouse.wheel(0, -3_000);
    await page.evaluate(TWO_FRAMES);
  }
  await oldest.scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Go to the newest messages' }).click();
  await newest.waitFor();
  assert.deepEqual(complaints(), []);
  await end();
});

test('earlier conversations are offered only to a contact who has some', async () => {
  const { conversation } = await writeAsContact(platform, { name: `New ${newId()}`, text: 'Oi' });
  const {
    page,
    complaints,
    close: end,
  } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const asked = page.waitForResponse((response) => response.url().includes('sort=createdAt'));
  await page.reload();
  await asked;
  await page.getByRole('article').filter({ hasText: 'Oi' }).waitFor();
  await page.evaluate(TWO_FRAMES);
  assert.equal(await page.getByRole('button', { name: 'Earlier conversations' }).count(), 0);
  assert.deepEqual(complaints(), []);
  assert.equal(demo.inbox, conversation.inbox);
  await end();
});
