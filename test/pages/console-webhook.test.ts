/** The journeys of people who connect another system by the webhook. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { EVENT_NAMES } from '../../src/platform/store/events.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('a webhook is set up with a secret header, and a delivery that failed is explained and sent again', async () => {
  const { body: demo } = await platform.call(200, 'GET', '/v1/webhooks');
  await platform.call(200, 'DELETE', `/v1/webhooks/${demo._id}`);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/webhook' });
  await page.getByText('No webhook is set up').waitFor();
  await page.getByRole('button', { name: 'Set up the webhook' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Address').fill(demo.url);
  await dialog.getByRole('checkbox', { name: 'Message received' }).check();
  await dialog.getByRole('button', { name: 'Add a header' }).click();
  await dialog.getByLabel('Name').fill('X-Secret');
  await dialog.getByLabel('Value', { exact: true }).fill('only-we-know');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('X-Secret: ••••••').waitFor();

  await platform.sandbox('PUT', '/sandbox/receiver', { mode: 'status', status: 500, times: 1 });
  await platform.receive({ from: '5511988880001', name: 'Maria Silva', text: 'Vocês abrem amanhã?' });
  const failed = page.getByRole('row', { name: /Message received.*500.*Failed/ });
  await waitUntil('the failed delivery', async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return (await failed.count()) === 1;
  });
  await page.getByLabel('Status').selectOption('Delivered');
  await page.getByText('No deliveries').waitFor();
  await page.getByLabel('Status').selectOption('Failed');
  await failed.press('Enter');
  await dialog.getByText('The receiver answered with an error').waitFor();
  await dialog.getByText('"content": "Vocês abrem amanhã?"').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Send again' }).click();
  const [, replay] = await platform.deliveries(({ event }) => event === 'MESSAGE_RECEIVED', 2);
  assert.ok(replay.headers['x-webhook-replay-of']);
  assert.equal(replay.headers['x-secret'], 'only-we-know');
  await page.getByLabel('Status').selectOption('Delivered');
  await page.getByRole('row', { name: /Message received \(sent again\).*200.*Delivered/ }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('all deliveries that failed in a period are sent again together, and what was delivered meanwhile is left out', async () => {
  const { body: webhook } = await platform.call(200, 'GET', '/v1/webhooks');
  await platform.database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, status, body, error, queued_at, claimed_at,
        attempted_at, finished_at)
      select $1, lpad(n::text, 24, '0'), $2, 1, 'MESSAGE_READ', $1, 'FAILED', json_build_object('event', 'MESSAGE_READ', 'n', n)::text,
        'HTTP_STATUS', at, at, at, at
      from generate_series(1, 120) n, lateral (select now() - interval '2 hours' as at) t`,
    [platform.demo._id, webhook._id],
  );
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/webhook' });
  const dialog = findDialog(page);
  for (const [expected, isLast] of [
    [/^Done: 120 of 120 deliveries/, false],
    [/^Done: 0 of 120 deliveries/, true],
  ] as const) {
    await page.getByRole('button', { name: 'Replay a period' }).click();
    await dialog.getByLabel('Event').selectOption('Message read');
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText(expected).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    if (!isLast) await platform.deliveries(({ body }) => body.event === 'MESSAGE_READ' && body.n !== undefined, 120);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('the webhook of another system is shown with its deliveries, stopped, turned on and removed', async () => {
  const url = `${platform.sandboxUrl}/receiver/flow`;
  const hook = { door: 'EVOLUTION', inbox: platform.demo.inbox, url, events: ['MESSAGES_UPSERT', 'CALL'] };
  await platform.call(200, 'PUT', '/v1/door-webhooks', { body: hook });
  await platform.receive({ from: '5511988880002', name: 'Ana Souza', text: 'Oi' });
  await platform.deliveries(({ body }) => body.event === 'messages.upsert');
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/webhook' });
  const card = page.getByRole('article', { name: `Evolution API: ${url}` });
  await card.getByText('MESSAGES_UPSERT, CALL').waitFor();
  await page.getByLabel('Webhook', { exact: true }).selectOption(`Evolution API: ${url}`);
  const row = page.getByRole('row', { name: /Message received · MESSAGES_UPSERT.*200.*Delivered/ });
  await waitUntil('the delivery', async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return (await row.count()) === 1;
  });
  assert.equal(await page.getByRole('row').count(), 2);
  assert.deepEqual(await findBarriers(page), []);
  await row.press('Enter');
  await findDialog(page).getByText(url, { exact: true }).waitFor();
  await findDialog(page).getByRole('button', { name: 'Close' }).last().click();
  await card.getByRole('button', { name: 'Stop' }).click();
  await card.getByText('Stopped').waitFor();
  await card.getByRole('button', { name: 'Turn on' }).click();
  await card.getByText('On', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Remove', exact: true }).click();
  await card.getByRole('button', { name: /Remove this webhook/ }).click();
  await card.waitFor({ state: 'detached' });
  assert.deepEqual((await platform.call(200, 'GET', '/v1/door-webhooks')).body.result, []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('what the platform refuses is said beside its field, and a stopped webhook is removed after a second question', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/webhook', role: 'ADMIN' });
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: 'None' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Choose at least one event.').waitFor();
  await dialog.getByRole('button', { name: 'All' }).click();
  await dialog.getByLabel('Name').fill('Host');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('is a reserved header').waitFor();
  await dialog.getByRole('button', { name: 'Remove: Host' }).click();
  await dialog.getByRole('checkbox', { name: 'Report events' }).uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Stopped', { exact: true }).waitFor();
  const { body } = await platform.call(200, 'GET', '/v1/webhooks');
  assert.deepEqual([body.status, body.events.length, body.custom_headers], ['INACTIVE', EVENT_NAMES.length, {}]);
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.getByRole('button', { name: /Remove the webhook/ }).click();
  await page.getByText('No webhook is set up').waitFor();
  assert.deepEqual((await platform.call(200, 'GET', '/v1/webhooks')).body, null);
  // The browser reports each answer that is an error.
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});
