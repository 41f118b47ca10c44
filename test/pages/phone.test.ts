/** The sandbox's phone page, in a real browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PHONE, startSandbox, TOKEN } from '../../sandbox/test-process.ts';
import { openPage, startBrowser } from '../support/browser.ts';

const sandbox = await startSandbox();
after(sandbox.stop);
const browser = await startBrowser();

const control = (method: string, path: string, body: object): Promise<Response> =>
  fetch(`${sandbox.url}/sandbox/${path}`, { method, body: JSON.stringify(body) });

test('a message shows ticks once it was delivered, and an error when it was not', async () => {
  const { page, complaints } = await openPage(browser);
  await page.goto(`${sandbox.url}/phone`);
  const findRow = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  const findTicks = (text: string) => findRow(text).getByRole('img', { name: 'delivered', exact: true });

  await control('POST', 'inbound', { text: 'to nowhere' });
  await findRow('to nowhere').getByText('the platform did not take it').waitFor();
  assert.equal(await findTicks('to nowhere').count(), 0);

  const retry = { start_ms: 5, max_ms: 10, tries: 50 };
  await control('PUT', 'settings', { callback_url: `${sandbox.url}/receiver/wap`, retry });
  await control('PUT', 'receiver', { mode: 'status', status: 500, times: 1 });
  await control('POST', 'inbound', { text: 'at the second try' });
  await findTicks('at the second try').waitFor();

  await page.reload();
  await findTicks('at the second try').waitFor();
  assert.equal(await findTicks('to nowhere').count(), 0);
  assert.deepEqual(complaints, []);
});

test('the phone shows that the company types, until its message arrives', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${sandbox.url}/phone`);
  const post = (message: object): Promise<Response> =>
    fetch(`${sandbox.url}/v26.0/${PHONE}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', ...message }),
    });
  await control('POST', 'inbound', { from: '5511988887777', text: 'anybody there?' });
  await page.getByRole('listitem').filter({ hasText: 'anybody there?' }).waitFor();
  const { items } = (await (
    await fetch(`${sandbox.url}/sandbox/conversation?phone_number_id=${PHONE}&contact=5511988887777`)
  ).json()) as { items: { id: string }[] };
  const read = { status: 'read', message_id: items.at(-1)?.id };
  assert.equal((await post({ ...read, typing_indicator: { type: 'dance' } })).status, 400);
  // The page loads the conversation while the company begins to type.
  const loads = Promise.withResolvers<void>();
  await page.route('**/sandbox/phone/accounts*', async (route) => {
    await loads.promise;
    await route.continue();
  });
  await page.locator('#company').dispatchEvent('change');
  assert.equal((await post({ ...read, typing_indicator: { type: 'text' } })).status, 200);
  await page.getByText('typing…').waitFor();
  const loaded = page.waitForResponse(/sandbox\/phone\/messages/);
  loads.resolve();
  await (await loaded).finished();
  await page.getByText('typing…').waitFor();
  await post({ to: '5511988887777', type: 'text', text: { body: 'Yes!' } });
  await page.getByText('Yes!').waitFor();
  assert.equal(await page.getByText('typing…').count(), 0);
});

test('the phone page fits a screen of 390 by 844 pixels: nothing is beside it, and the field to write in is on it', async () => {
  const { page, complaints } = await openPage(browser, { viewport: { width: 390, height: 844 }, isMobile: true });
  await page.goto(`${sandbox.url}/phone`);
  await page.getByLabel('Message', { exact: true }).waitFor();
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
  const box = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
  assert.ok(box && box.y + box.height <= 844);
  assert.deepEqual(complaints, []);
});
