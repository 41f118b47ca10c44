/** The search of the inbox finds people and what was written, and opens a conversation where it was written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, holdAnswers, openConsole, waitForSent } from '../support/console.ts';
import {
  buildMessageNotification,
  connectPhone,
  makePhoneNumber,
  openNetwork,
  secondsAgo,
} from '../support/network.ts';
import { ROLES } from '../../src/platform/store/roles.ts';
import { connectAs } from '../support/database.ts';
import { startPlatform } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const network = await openNetwork(platform);

/** Lets the held answers go in the frame in which the first messages are shown. */
const RELEASE_AT_FIRST_ROW = `new MutationObserver((_, observer) => {
  if (document.querySelector('[role=log] li') === null) return;
  observer.disconnect();
  held.release();
}).observe(document.body, { childList: true, subtree: true })`;

/** Waits until more than the first page of messages is there, and the list has not moved for some frames. */
const OLDER_ARE_IN_PLACE = `new Promise((resolve) => {
  let [still, before] = [0, -1];
  const look = () => {
    const log = document.querySelector('[role=log]');
    const isSame = log !== null && log.scrollHeight > 5_000 && log.scrollTop === before;
    [still, before] = [isSame ? still + 1 : 0, log?.scrollTop];
    if (still === 20) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

test('a message that is found opens its conversation there, however far up it is', async () => {
  const phone = await connectPhone(platform);
  const from = makePhoneNumber();
  const messages = Array.from({ length: 130 }, (_, index) => ({
    from,
    timestamp: secondsAgo(1_000 - index),
    type: 'text',
    text: { body: index === 2 ? 'Pelo caminho da Ferrovía' : `Mensagem ${index}` },
  }));
  await network.post(200, buildMessageNotification(phone, ...messages));
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('ferrovi');
  await page.getByRole('link', { name: /Pelo caminho da Ferrovía/ }).click();
  const found = page.locator('[data-wanted] article');
  await found.getByText('Pelo caminho da Ferrovía').waitFor();
  const box = await found.boundingBox();
  assert.ok(box && box.y > 60 && box.y + box.height < 700, 'the message is in view');
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Seen');
  await page.keyboard.press('Enter');
  await waitForSent(page.getByRole('article').filter({ hasText: 'Seen' }));
  await found.waitFor({ state: 'detached' });
  // A second press on the same hit leads to the message again.
  await page.getByRole('link', { name: /Pelo caminho da Ferrovía/ }).click();
  await found.getByText('Pelo caminho da Ferrovía').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation that is opened at an old message is unread until its end is in view', async () => {
  const { conversation, contact } = await writeAsContact(platform, { text: 'Pergunta antiga sobre jabuticaba' });
  for (let count = 0; count < 30; count += 1)
    await writeAsContact(platform, { from: contact.phone_number.slice(1), text: `Mais ${count}` });
  const { page, calls, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const reads = (): string[] => calls().filter((each) => each.endsWith(`/${conversation._id}/read`));
  const search = page.getByRole('searchbox', { name: 'Search people and messages' });
  await search.fill('jabuticaba');
  await page.getByRole('link', { name: /jabuticaba/ }).click();
  await page.locator('[data-wanted] article').waitFor();
  const down = page.getByRole('button', { name: 'Go to the newest messages' });
  await down.waitFor();
  // A message that arrives meanwhile is not read either.
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Mais uma' });
  await search.fill('');
  await page.getByLabel('32 unread').waitFor();
  assert.deepEqual(reads(), []);
  await page.getByRole('button', { name: '1 new message' }).click();
  await waitUntil('the conversation to be read', () => reads().length > 0);
  // A short one is in view as a whole.
  const short = await writeAsContact(platform, { text: 'Uma goiaba' });
  await search.fill('goiaba');
  await page.getByRole('link', { name: /goiaba/ }).click();
  await waitUntil('the short one to be read', () =>
    calls().some((each) => each.includes(short.conversation._id) && each.endsWith('/read')),
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('a hit in a long conversation stays in view and unread while older messages and the history arrive', async () => {
  const phone = await connectPhone(platform);
  const from = makePhoneNumber();
  const messages = Array.from({ length: 90 }, (_, index) => ({
    from,
    timestamp: secondsAgo(1_000 - index),
    type: 'text',
    text: { body: index === 70 ? 'Suco de cupuaçu' : `Mensagem ${index}` },
  }));
  await network.post(200, buildMessageNotification(phone, ...messages));
  const { body: found } = await platform.call(200, 'GET', '/v1/messages?search=cupua%C3%A7u');
  const { conversation } = found.result[0];
  const { page, calls, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  // Each opening is a page without the conversation. The arrivals meet another moment of its first frames each time.
  for (let opening = 0; opening < 8; opening += 1) {
    if (opening > 0) await page.goto(`${platform.url}/console/inbox/all`);
    await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('cupuaçu');
    const hit = page.getByRole('link', { name: /cupuaçu/ });
    await hit.waitFor();
    const isTogether = opening % 2 === 0;
    // The conversation itself is not held: until it is there, the page asks for neither of these.
    const contents = [`/${conversation}/history`, `/${conversation}?`];
    const held = await holdAnswers(page, ...(isTogether ? contents : ['after=']));
    if (!isTogether) await page.evaluate(RELEASE_AT_FIRST_ROW);
    const answers = contents.map((part) => page.waitForResponse((answer) => answer.url().includes(part)));
    await hit.click();
    await Promise.all(answers);
    await held.answered();
    if (isTogether) await held.release();
    await page.evaluate(OLDER_ARE_IN_PLACE);
    const shown = page.locator('[data-wanted] article');
    const box = (await shown.count()) === 1 ? await shown.boundingBox() : null;
    assert.ok(box && box.y > 60 && box.y + box.height < 700, `opening ${opening}: the message is in view`);
  }
  assert.deepEqual(
    calls().filter((each) => each.endsWith('/read')),
    [],
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('the results of a search stay what they are when a person of that name writes', async () => {
  await writeAsContact(platform, { name: 'Olga Reis', text: 'Uma pitanga' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const search = page.getByRole('searchbox', { name: 'Search people and messages' });
  await search.fill('pitanga');
  const hits = page.getByRole('button', { name: 'All messages 1', pressed: true });
  await hits.waitFor();
  await writeAsContact(platform, { name: 'Rosa Pitanga', text: 'Oi' });
  await page.getByRole('button', { name: 'Conversations 1' }).waitFor();
  assert.ok(await hits.isVisible());
  // Another text is another search.
  await search.fill('Rosa Pitanga');
  await page.getByRole('button', { name: 'Conversations 1', pressed: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a search hides a conversation that it no longer finds, and shows one that it finds only now', async () => {
  const { contact } = await writeAsContact(platform, { name: 'Livia Prado', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('Livia');
  const found = page.getByRole('link', { name: /Livia/ });
  await found.waitFor();
  await platform.call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: 'Helena Prado' } });
  await page.getByText('No conversations here').waitFor();
  await writeAsContact(platform, { name: 'Livia Nunes', text: 'Oi' });
  await found.waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation that is closed leaves the results of a search among the open ones', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Searched Person', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.getByRole('searchbox', { name: 'Search people and messages' }).fill('Searched');
  const row = page.getByRole('link', { name: /Searched Person/ });
  await page.getByRole('button', { name: 'Conversations 1' }).waitFor();
  await row.waitFor();
  await platform.call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(complaints(), []);
  await close();
});

test('a search whose page ends early goes on to older messages by itself, and says so', async () => {
  const { conversation } = await writeAsContact(platform, { text: 'Doce de graviola e de jaca' });
  const { sql } = platform.database;
  await sql(
    `insert into message_parts (company_id, starts_at) select company_id, now() + n * interval '500 milliseconds'
      from conversations, generate_series(0, 10) n where _id = $1`,
    [conversation._id],
  );
  // More than the search compares before it looks through the parts.
  await sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type,
        content, status, created_at)
      select company_id, new_id(), _id, contact_id, inbox_id, channel, 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT',
        case n when 5100 then 'Suco de graviola' else 'Mais' end, 'RECEIVED', now() + n * interval '1 millisecond'
      from conversations, generate_series(1, 5100) n where _id = $1`,
    [conversation._id],
  );
  const { page, calls, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const blocker = await connectAs(ROLES.system, platform.database);
  // Lets the time of the search pass before it has found anything.
  const search = async (text: string): Promise<void> => {
    await blocker.query('begin; lock table message_parts');
    await page.getByRole('searchbox', { name: 'Search people and messages' }).fill(text);
    await waitUntil('the search to wait', async () => {
      const waiting = await sql(
        `select from pg_locks join pg_stat_activity using (pid) where relation = 'message_parts'::regclass
          and waitstart < clock_timestamp() - interval '50 milliseconds' and query like 'select m._id, %'`,
      );
      return waiting.length > 0;
    });
    await blocker.query('commit');
  };
  const held = await holdAnswers(page, 'after=');
  await search('graviola');
  await page.getByRole('button', { name: 'All messages 1+' }).click();
  await page.getByText('Searching older messages…').waitFor();
  await held.release();
  await page.getByRole('button', { name: 'All messages 2', exact: true }).waitFor();
  await page.getByRole('link', { name: /Doce de graviola/ }).waitFor();
  const before = calls().length;
  await search('jaca');
  await page.getByRole('link', { name: /Doce de graviola/ }).waitFor();
  assert.ok(
    calls()
      .slice(before)
      .some((each) => each.includes('search=jaca') && each.includes('after=')),
  );
  await blocker.end();
  assert.deepEqual(complaints(), []);
  await close();
});
