/** The tabs of the sandbox's phone page, one for each network, in a real browser and with a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, startBrowser } from '../support/browser.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform({ hasWholeDemo: true, isOwn: true });
const browser = await startBrowser();
const { call } = platform;

// The agent of the demo would answer as well.
const { body: agents } = await call(200, 'GET', '/v1/agents');
await call(200, 'PATCH', `/v1/agents/${agents.result[0]._id}`, { body: { status: 'INACTIVE' } });
await waitUntil('the demo to be connected with every network', async () => {
  const { body } = await call(200, 'GET', '/v1/inboxes');
  return body.result.length === 5 && body.result.every(({ connection }: Json) => connection.status === 'CONNECTED');
});

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
  await page.getByRole('tab', { name: new RegExp(`^${name}`), selected: true }).waitFor();
}

/** Waits until the platform has the message, and returns it. */
const readReceived = (channel: string, content: string): Promise<Json> =>
  waitUntil(`the message of ${channel}`, async () => {
    const { body } = await call(200, 'GET', '/v1/conversations');
    const conversation = body.result.find((each: Json) => each.channel === channel);
    if (!conversation) return null;
    const { body: page } = await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`);
    return page.result.find((message: Json) => message.content === content) ?? null;
  });

const answer = async (conversation: string, content: string): Promise<string> =>
  (await call(201, 'POST', '/v1/messages/send-text', { body: { conversationId: conversation, message: { content } } }))
    .body._id;

for (const { tab, channel } of [
  { tab: 'WhatsApp', channel: 'WAP_AUTO_CLOSER' },
  { tab: 'Partner', channel: 'PARTNER_API' },
  { tab: 'LinkedIn', channel: 'PROFESSIONAL_NETWORK' },
  { tab: 'Mail', channel: 'EMAIL' },
]) {
  test(`in the tab ${tab} somebody writes to the platform, and sees its answer and file without a reload`, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${platform.sandboxUrl}/phone`);
    await openTab(page, tab);
    if (tab === 'Mail') await page.getByLabel('Subject').fill('An order');
    await page.getByLabel('Message', { exact: true }).fill(`Hello by ${tab}`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const received = await readReceived(channel, `Hello by ${tab}`);
    await page
      .getByRole('listitem')
      .filter({ hasText: `Hello by ${tab}` })
      .getByRole('img', { name: 'delivered' })
      .waitFor();

    await answer(received.conversation, `Answer by ${tab}`);
    await page
      .getByRole('listitem')
      .filter({ hasText: `Answer by ${tab}` })
      .waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'File…' }).click();
    await (await chooser).setFiles('sandbox/samples/picture.jpg');
    await page.locator('.out img.image').waitFor();
    await waitUntil('the picture to arrive', async () => {
      const { body } = await call(200, 'GET', `/v1/messages/conversation/${received.conversation}`);
      return body.result.some((message: Json) => message.contentType === 'IMAGE');
    });
    assert.deepEqual(complaints, []);
  });
}

test('a reaction to an answer and the moment of reading reach the platform, where the network has them', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${platform.sandboxUrl}/phone#partner`);
  await page.getByLabel('Read messages immediately').click();
  const { conversation } = await readReceived('PARTNER_API', 'Hello by Partner');
  const id = await answer(conversation, 'Read me');
  const row = page.getByRole('listitem').filter({ hasText: 'Read me' });
  await row.getByRole('button', { name: 'Mark as read' }).waitFor({ state: 'attached' });
  const read = async (): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;
  await waitUntil('the message to be delivered', async () => (await read()).status === 'DELIVERED');
  await row.hover();
  await row.getByRole('button', { name: 'Mark as read' }).click();
  await waitUntil('the message to be read', async () => (await read()).status === 'READ');
  await row.getByRole('button', { name: 'React with 👍' }).click();
  const reaction = await waitUntil('the reaction', async () => {
    const { body } = await call(200, 'GET', `/v1/messages/conversation/${conversation}`);
    return body.result.find((message: Json) => message.contentType === 'REACTION');
  });
  assert.equal(reaction.reaction.emoji, '👍');
});

test('a phone that is signed out in the tab of the partner makes the inbox ERROR, and one that scans the code CONNECTED', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${platform.sandboxUrl}/phone#partner`);
  const awaitStatus = (status: string): Promise<unknown> =>
    waitUntil(`the inbox to be ${status}`, async () => {
      const { body } = await call(200, 'GET', '/v1/inboxes?channel=PARTNER_API');
      return body.result[0].connection.status === status;
    });
  await page.getByRole('button', { name: 'Sign out the phone' }).click();
  await page.getByText('Signed out').waitFor();
  await awaitStatus('ERROR');
  await page.getByRole('button', { name: 'Scan the code' }).click();
  await page.getByText('Connected').waitFor();
  await awaitStatus('CONNECTED');
});

test('a mail that somebody returns to its sender fails with the words of the report', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${platform.sandboxUrl}/phone#mail`);
  const { conversation } = await readReceived('EMAIL', 'Hello by Mail');
  const id = await answer(conversation, 'To nobody');
  const row = page.getByRole('listitem').filter({ hasText: 'To nobody' });
  await row.getByRole('button', { name: 'Return to sender' }).click();
  await row.getByText('There is no such mailbox').waitFor();
  const failed = await waitUntil('the message to fail', async () => {
    const { body } = await call(200, 'GET', `/v1/messages/${id}`);
    return body.status === 'FAILED' && body;
  });
  assert.match(JSON.stringify(failed.errors), /There is no such mailbox/);
});

test('a message that arrives while the page loads its list twice stays in the list', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${platform.sandboxUrl}/phone#mail`);
  await page.getByText('live', { exact: true }).waitFor();
  await page.waitForFunction(
    `import('/pages/phone-state.js').then(({ state }) => state.company !== null && state.arrived === null)`,
  );
  const held: (() => Promise<void>)[] = [];
  await page.route('**/sandbox/phone/messages?*', async (route) => {
    const response = await route.fetch();
    held.push(() => route.fulfill({ response }));
  });
  for (const count of [1, 2]) {
    await page.locator('#company').dispatchEvent('change');
    await waitUntil('an answer', () => held.length === count);
  }
  const { conversation } = await readReceived('EMAIL', 'Hello by Mail');
  await answer(conversation, 'While it loads');
  const row = page.getByRole('listitem').filter({ hasText: 'While it loads' });
  await row.waitFor();
  for (const give of held) {
    const given = page.waitForResponse('**/sandbox/phone/messages?*');
    await give();
    await (await given).finished();
  }
  await page.getByRole('listitem').filter({ hasText: 'Hello by Mail' }).waitFor();
  assert.equal(await row.count(), 1);
});

test('the tab of the web chat shows the shop, whose visitor writes to the platform', async () => {
  const { page, complaints } = await openPage(browser);
  await page.goto(`${platform.sandboxUrl}/phone`);
  await page.getByRole('tab', { name: 'WhatsApp', exact: true }).focus();
  await page.keyboard.press('End');
  const shop = page.frameLocator('iframe[title="A shop with the web chat"]');
  await shop.getByRole('button', { name: 'Ask the bakery' }).click();
  await shop.locator('iframe').first().contentFrame().getByRole('textbox').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('every tab fits a screen of 390 by 844 pixels, with the field to write in on it', async () => {
  const { page, complaints } = await openPage(browser, { viewport: { width: 390, height: 844 }, isMobile: true });
  for (const network of ['whatsapp', 'partner', 'linkedin', 'mail']) {
    await page.goto(`${platform.sandboxUrl}/phone#${network}`);
    await page.getByRole('listitem').first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, network);
    const box = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    assert.ok(box && box.y + box.height <= 844, network);
  }
  assert.deepEqual(complaints, []);
});
