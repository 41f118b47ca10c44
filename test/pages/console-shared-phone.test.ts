/** What the console says about a number that is also used in the Business app, and about people with usernames. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { buildNotification, connectPhone, fillMessage, makePhoneNumber, openNetwork } from '../support/network.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

test('the page of an inbox says how many of the earlier messages of the phone have come, and follows them', async () => {
  await network.post(
    200,
    buildNotification({ phone, field: 'account_update', value: { event: 'ACCOUNT_RECONNECTED', metadata: undefined } }),
  );
  const { page, close, complaints } = await openConsole(platform, browser, { path: `/inboxes/${phone.inbox}` });
  const section = page.getByRole('region', { name: 'Earlier messages of the phone' });
  await section.getByText('Requested', { exact: true }).waitFor();
  for (const [progress, words] of [
    [42, '42% of the earlier messages have arrived.'],
    [100, 'All earlier messages that WhatsApp sent have arrived.'],
  ] as const) {
    const from = makePhoneNumber();
    const threads = [{ id: from, messages: [fillMessage({ from })] }];
    const history = [{ metadata: { phase: 0, chunk_order: 1, progress }, threads }];
    await network.post(200, buildNotification({ phone, field: 'history', value: { history } }));
    await section.getByText(words).waitFor();
    assert.deepEqual(await findBarriers(page), []);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('a contact is found by a username with @, is called by it if nothing else is known, and shows it', async () => {
  await platform.database.sql(`update contacts set username = 'other.person' where company_id = $1`, [phone.company]);
  const { body } = await platform.call(201, 'POST', '/v1/contacts', { body: { external_id: 'shop-7' } });
  await platform.database.sql(`update contacts set username = 'ana.souza' where _id = $1`, [body._id]);
  const [other] = await platform.database.sql<{ phone_number: string }>(
    `select phone_number from contacts where username = 'other.person' limit 1`,
  );
  const { page, close } = await openConsole(platform, browser, { path: '/contacts' });
  const others = page.getByText(other?.phone_number ?? '').first();
  await others.waitFor();
  await page.getByRole('searchbox').fill('@ana.so');
  const row = page.getByText('@ana.souza').first();
  await row.waitFor();
  await others.waitFor({ state: 'detached' });
  await row.click();
  await page.getByRole('heading', { name: '@ana.souza' }).waitFor();
  await page.getByText('WhatsApp username').waitFor();
  await close();
});
