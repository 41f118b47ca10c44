/** The journeys of people who prepare the templates of the company and try them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;

test('a template is submitted with examples of its variables, shown as on a phone, changed, copied into another language, and removed', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/templates' });
  await page.getByRole('row', { name: /order_update pt_BR.*Approved/ }).waitFor();
  await page.getByRole('button', { name: 'New template' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Name').fill('order_ready');
  await dialog.getByLabel('Language').fill('en_US');
  await dialog.getByLabel('Header').fill('Bakery');
  await dialog.getByLabel('Text', { exact: true }).fill('Hi {{first_name}}, your order is ready.');
  await dialog.getByLabel('Buttons').fill('I am coming\nBring it to me');
  await dialog.getByLabel('Example of {{first_name}}').fill('Maria');
  const written = 'BakeryHi first_name, your order is ready.I am comingBring it to me';
  const readPreview = async (): Promise<string | null> =>
    page.getByLabel('What the contact reads').last().textContent();
  assert.equal(await readPreview(), written);
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Submit for review' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('searchbox', { name: 'Search templates' }).fill('order_ready');
  await page.getByRole('row', { name: /order_ready/ }).press('Enter');
  const pane = page.getByRole('complementary', { name: 'order_ready' });
  await pane.getByText('Text {{first_name}}: text (for example Maria)').waitFor();
  assert.equal(await readPreview(), written);
  assert.deepEqual(await findBarriers(page), []);

  await pane.getByRole('button', { name: 'Edit' }).click();
  assert.equal(await dialog.getByLabel('Name', { exact: true }).count(), 0);
  await dialog.getByLabel('Text', { exact: true }).fill('Hi {{first_name}}, your order waits for you.');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Submit for review' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await readPreview(), written.replace('is ready', 'waits for you'));

  await pane.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('order_ready');
  await dialog.getByLabel('Language').fill('es');
  await dialog.getByLabel('Header').fill('Panadería');
  await dialog.getByRole('button', { name: 'Submit for review' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await pane.getByRole('group', { name: 'Language' }).getByRole('button', { name: 'es', exact: true }).click();
  assert.equal(await readPreview(), written.replace('Bakery', 'Panadería').replace('is ready', 'waits for you'));

  await pane.getByRole('button', { name: 'Remove' }).click();
  await pane.getByRole('button', { name: /Remove it in all/ }).click();
  await pane.waitFor({ state: 'detached' });
  await page.getByText('Nothing found').waitFor();
  const path = `/v1/inboxes/${platform.demo.inbox}/templates?name=order_ready`;
  assert.deepEqual((await call(200, 'GET', path)).body.result, []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a rejected template is edited, and one with a picture, for which the form has no field, is copied', async () => {
  const { body: inbox } = await call(200, 'GET', `/v1/inboxes/${platform.demo.inbox}`);
  for (const name of ['appointment_reminder', 'summer_offer'])
    await platform.sandbox('PATCH', '/sandbox/templates', {
      waba_id: inbox.api_wap_config.waba_id,
      name,
      language: 'pt_BR',
      status: 'REJECTED',
      rejected_reason: 'INVALID_FORMAT',
      notify: true,
    });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/templates' });
  for (const [name, advice, edits] of [
    ['appointment_reminder', 'Edit it and submit it again.', 1],
    ['summer_offer', 'Copy it, correct the copy and submit it under another name.', 0],
  ] as const) {
    await page.getByRole('row', { name: new RegExp(`${name} pt_BR.*Rejected`) }).press('Enter');
    const pane = page.getByRole('complementary', { name });
    await pane.getByText(advice).waitFor();
    await pane.getByRole('button', { name: 'Copy' }).waitFor();
    assert.equal(await pane.getByRole('button', { name: 'Edit' }).count(), edits);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('a message of a campaign is sent to the user’s own number, with names in place of values that differ from contact to contact', async () => {
  const parameters = [{ variable_ref: 'contact.first_name' }, { variable_ref: 'column.Coupon', text: 'A0' }];
  const template = { name: 'order_update', language: 'pt_BR', components: [{ type: 'body', parameters }] };
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', {
    body: { name: 'Orders', inbox: platform.demo.inbox, steps: [{ template }] },
  });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/campaigns/${campaign._id}` });
  await page.getByRole('button', { name: 'Messages', exact: true }).click();
  await page.getByRole('button', { name: 'Send a test: Message 1' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Your number').fill('12');
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await dialog.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByLabel('Your number').fill('+55 11 98888-7001');
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Test sent').waitFor();
  await page.getByRole('button', { name: 'Check and start' }).click();
  await page.getByRole('button', { name: 'Send a test: Message 1' }).click();
  await dialog.getByLabel('Your number').waitFor();
  const { body: messages } = await call(200, 'GET', '/v1/messages?limit=1');
  assert.match(messages.result[0].content, /^Oi, \[First name\]! O seu pedido \*A0\*/);
  assert.equal(complaints().filter((text) => !/status of 400/.test(text)).length, 0);
  await close();
});
