/** Notifications in the console: the bell, their list, the settings, and followers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsoleAt } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { makeBrowser } from '../support/push.ts';
import { silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const browser = await startBrowser();
const { call, demo } = platform;
const carla = await platform.createUser(demo._id, 'OPERATOR', 'Carla Reis');

const open = (email: string, options: Json = {}) => openConsoleAt({ url: platform.url, email }, browser, options);
const mention = (conversationId: string, user: string): Promise<unknown> =>
  call(201, 'POST', '/v1/messages/note', {
    key: carla.token,
    body: { conversationId, message: { content: 'The kitchen says yes' }, mentions: [user] },
  });

for (const width of [1280, 390])
  test(`the bell counts and lists unread notifications, and one that is opened shows its conversation and is read, ${width} pixels wide`, async () => {
    const ana = await createPerson(platform, demo._id, 'OPERATOR');
    const { page, complaints, close } = await open(ana.email, { path: '/contacts', viewport: { width, height: 800 } });
    const { conversation } = await writeAsContact(platform, { name: `Maria ${width}`, text: 'Oi' });
    await mention(conversation._id, ana._id);
    const other = (await writeAsContact(platform, { name: `Greta ${width}`, text: 'Oi' })).conversation;
    await call(200, 'PATCH', `/v1/conversations/${other._id}`, { key: carla.token, body: { owner: ana._id } });
    await page.getByRole('button', { name: /^Notifications 2 unread/ }).click();
    await page.getByRole('link', { name: `Carla Reis assigned Greta ${width} to you` }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    const mentioned = page.getByRole('link', {
      name: `Carla Reis mentioned you in the conversation with Maria ${width}`,
    });
    await mentioned.getByText('The kitchen says yes').waitFor();
    await mentioned.click();
    await page.getByRole('article').filter({ hasText: 'The kitchen says yes' }).waitFor();
    assert.ok(page.url().endsWith(`/inbox/all/${conversation._id}`));
    await waitUntil('the mention to be read', async () => {
      const { body } = await call(200, 'GET', '/v1/notifications/counts', { key: ana.token });
      return body.unread === 1;
    });
    assert.deepEqual(complaints(), []);
    await close();
  });

test('all notifications are marked as read, and the tabs show one kind each by mouse and keyboard, with the number of unread ones', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const { conversation } = await writeAsContact(platform, { name: 'Nadia', text: 'Oi' });
  await mention(conversation._id, ana._id);
  const { page, complaints, close } = await open(ana.email, { path: '/contacts' });
  await page.getByRole('button', { name: /^Notifications 1 unread/ }).click();
  await page.getByRole('tab', { name: 'Mentions 1 unread' }).click();
  const mentioned = page.getByRole('list', { name: 'Mentions' }).getByRole('link', { name: /mentioned you/ });
  await mentioned.waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Assigned', selected: true }).waitFor();
  await page.getByText('Nothing new').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('ArrowLeft');
  await mentioned.waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Mentions', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(complaints(), []);
  await close();
});

test('more than three missed SLA targets in a row are one notification, which opens the conversations whose target is missed', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const body = { name: 'Soon', first_reply_minutes: 1 };
  const policy = (await call(201, 'POST', '/v1/sla-policies', { body })).body;
  const { page, complaints, close } = await open(ana.email, { path: '/contacts' });
  for (let number = 0; number < 4; number += 1) {
    const { conversation } = await writeAsContact(platform, { name: `Late ${number}`, text: 'Oi' });
    await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { key: ana.token, body: { owner: ana._id } });
  }
  await waitUntil('four missed targets', async () => {
    await platform.database.sql(
      `update conversation_slas set first_reply_due_at = now(), due_at = now(), notice_at = now() where breached_at is null`,
    );
    return (await platform.database.sql('select from conversation_slas where breached_at is not null')).length === 4;
  });
  await page.getByRole('button', { name: /^Notifications 4 unread/ }).click();
  const entry = page.getByRole('link', { name: 'SLA missed in 4 conversations' });
  await entry.waitFor();
  assert.equal(await page.getByRole('link', { name: /SLA missed: / }).count(), 0);
  assert.deepEqual(await findBarriers(page), []);
  await entry.click();
  await page.getByRole('button', { name: 'Remove the filter SLA overdue' }).waitFor();
  assert.ok(page.url().endsWith('/inbox/all'));
  await waitUntil('all of them to be read', async () => {
    const counts = await call(200, 'GET', '/v1/notifications/counts', { key: ana.token });
    return counts.body.unread === 0;
  });
  await call(200, 'DELETE', `/v1/sla-policies/${policy._id}`);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a mention in the conversation that is in view is read at once, although its messages were read before', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const { conversation } = await writeAsContact(platform, { name: 'Pedro', text: 'Oi' });
  const { page, close } = await open(ana.email, { path: `/inbox/all/${conversation._id}` });
  await page.getByRole('article').first().waitFor();
  await mention(conversation._id, ana._id);
  await waitUntil('the mention to be read', async () => {
    const { body } = await call(200, 'GET', '/v1/notifications?unread=false', { key: ana.token });
    return body.result.length === 1;
  });
  await close();
});

test('a user follows and unfollows a conversation in its details, and chooses in the profile what notifies them', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const { conversation } = await writeAsContact(platform, { name: 'Jonas', text: 'Oi' });
  const viewport = { width: 1440, height: 900 };
  const { page, complaints, close } = await open(ana.email, { path: `/inbox/all/${conversation._id}`, viewport });
  const follow = page.getByRole('button', { name: 'Follow', exact: true });
  if (!(await follow.isVisible())) await page.getByRole('button', { name: 'Contact details' }).click();
  await follow.click();
  await page.getByRole('button', { name: 'Unfollow', exact: true }).click();
  await page.getByText('No one follows this conversation.').waitFor();
  await page.goto(`${platform.url}/console/profile`);
  const replies = page.getByRole('checkbox', { name: 'Replies in conversations that I own or follow: In Parley' });
  await replies.click();
  await waitUntil('the choice to be stored', async () => {
    const { body } = await call(200, 'GET', '/v1/notification-settings', { key: ana.token });
    return body.REPLIED.console === false && body.REPLIED.browser;
  });
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a notification is shown on the desktop once for all tabs, and not while its conversation is in view', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const [first, second] = [await writeAsContact(platform), await writeAsContact(platform)];
  const path = `/inbox/all/${first.conversation._id}`;
  const { page, close } = await open(ana.email, { path, permissions: ['notifications'] });
  await page.context().addInitScript(RECORD);
  const other = await page.context().newPage();
  await other.goto(`${platform.url}/console/contacts`);
  await page.reload();
  for (const each of [page, other]) await each.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  await page.bringToFront();
  await mention(first.conversation._id, ana._id);
  await mention(second.conversation._id, ana._id);
  const list = async (): Promise<string[]> =>
    (await Promise.all([page, other].map((each) => each.evaluate('globalThis.notices')))).flat() as string[];
  await waitUntil('a notice', async () => (await list()).length > 0);
  const { body } = await call(200, 'GET', `/v1/notifications?unread=true`, { key: ana.token });
  assert.deepEqual(
    await list(),
    body.result.map(({ _id }: Json) => _id),
  );
  await close();
});

/** Records the tags of notices in place of showing them. */
const RECORD = `globalThis.notices = [];
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted';
    constructor(title, { tag }) { super(); globalThis.notices.push(tag); }
  };`;

test('a notice of a message replaces the one about the same conversation, and only one tab shows it', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const { page, close } = await open(ana.email, { path: '/contacts', permissions: ['notifications'] });
  await page.context().addInitScript(`${RECORD}
    localStorage.setItem('parley.notices', 'desktop');
    document.hasFocus = () => false;`);
  const other = await page.context().newPage();
  await other.goto(`${platform.url}/console/contacts`);
  await page.reload();
  for (const each of [page, other]) await each.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  const { conversation } = await writeAsContact(platform, { name: 'Maria', text: 'Oi' });
  const list = async (): Promise<string[]> =>
    (await Promise.all([page, other].map((each) => each.evaluate('globalThis.notices')))).flat() as string[];
  await waitUntil('a notice', async () => (await list()).length > 0);
  await call(200, 'PATCH', `/v1/auth/me`, { key: ana.token, body: { name: 'Ana' } });
  assert.deepEqual(await list(), [conversation._id]);
  await close();
});

test('the permission of the browser is asked for once, and all settings that depend on it follow the answer', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const { page, close } = await open(ana.email, { path: '/contacts' });
  await page.context().addInitScript(`globalThis.asked = 0;
    globalThis.Notification = class extends EventTarget {
      static permission = 'default';
      static async requestPermission() { asked += 1; return (this.permission = 'denied'); }
    };`);
  await page.goto(`${platform.url}/console/profile`);
  const push = page.getByRole('region', { name: 'Push', exact: true });
  await push.getByRole('button', { name: 'Turn on' }).waitFor();
  await page.getByRole('button', { name: 'Allow notifications of the browser' }).click();
  await page.getByText('The browser blocks notifications.').waitFor();
  // Without a registered browser, there is nothing left to set.
  await push.waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate('asked'), 1);
  await close();
});

test('a user removes a lost device from the browsers to which notifications are pushed', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const body = { endpoint: 'https://203.0.114.1/lost', keys: makeBrowser().keys };
  const headers = { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0' };
  await call(200, 'PUT', '/v1/push-subscriptions', { key: ana.token, headers, body });
  const { page, complaints, close } = await open(ana.email, { path: '/profile' });
  await page.getByRole('button', { name: 'Remove Firefox on Android' }).click();
  await page.getByText('Nothing is pushed to that browser any more.').waitFor();
  const { body: left } = await call(200, 'GET', '/v1/push-subscriptions', { key: ana.token });
  assert.deepEqual(left.result, []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a pushed notification is shown only while no tab is in view, and a click opens its conversation', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const { conversation } = await writeAsContact(platform, { name: 'Maria', text: 'Oi' });
  const { page, close } = await open(ana.email, { path: '/contacts', permissions: ['notifications'] });
  const context = page.context();
  const started = context.waitForEvent('serviceworker');
  await page.evaluate(`navigator.serviceWorker.register('service-worker.js')`);
  const worker = await started;
  // The browser of the tests shows no notices.
  await worker.evaluate(`globalThis.shown = [];
    globalThis.tags = [];
    registration.showNotification = async (title, options) => {
      shown.push([title, options.body, options.data]);
      tags.push(options.tag);
    };`);
  const push = (pushed: Json): Promise<unknown> =>
    worker.evaluate(`(async () => {
      let work;
      const event = new PushEvent('push', { data: ${JSON.stringify(JSON.stringify(pushed))} });
      event.waitUntil = (given) => void (work = given);
      dispatchEvent(event);
      await work;
      return shown;
    })()`);
  const pushed = {
    _id: 'e'.repeat(24),
    kind: 'MENTIONED',
    conversation: conversation._id,
    contact: 'Maria',
    actor: 'Carla Reis',
    preview: 'The kitchen says yes',
    count: 1,
    language: 'en',
  };
  assert.deepEqual(await push(pushed), []);
  const address = `/inbox/all/${conversation._id}`;
  // The browser lets only a real click put a page in front.
  await worker.evaluate(`(async () => {
    const event = new Event('notificationclick');
    event.notification = { data: ${JSON.stringify(address)}, close: () => undefined };
    event.waitUntil = (work) => void work.catch(() => undefined);
    dispatchEvent(event);
  })()`);
  await page.waitForURL(`**${address}`);
  const other = await context.newPage();
  await page.close();
  const text = 'Carla Reis mentioned you in the conversation with Maria';
  assert.deepEqual(await push(pushed), [[text, 'The kitchen says yes', address]]);
  // A push about replies takes the place of the notice of the message.
  await push({ ...pushed, _id: 'f'.repeat(24), kind: 'REPLIED' });
  assert.deepEqual(await worker.evaluate('tags'), [pushed._id, conversation._id]);
  await other.close();
  await close();
});
