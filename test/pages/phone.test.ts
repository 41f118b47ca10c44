/** The sandbox's phone page, in a real browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSandbox } from '../../sandbox/test-process.ts';
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
  // The reload interrupted the page's live stream.
  assert.deepEqual(
    complaints.filter((text) => !/\/sandbox\/live\S*: net::ERR_ABORTED$/.test(text)),
    [],
  );
});
