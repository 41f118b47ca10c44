/** The journey of somebody who connects an instance of a gateway in the console and pairs a phone with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { connectInstance, writeThrough } from '../support/gateway.ts';
import { waitUntilCopied } from '../support/network.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('an instance is connected with a wrong key corrected, its QR code is shown, and a phone that scans it connects the inbox', async () => {
  const instance = { name: 'shop', api_key: 'key-of-the-shop', state: 'close' };
  await platform.sandbox('POST', '/sandbox/gateway/instances', instance);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  await page.getByRole('button', { name: 'Connect an inbox' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^WhatsApp through a gateway/ }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Sales');
  await dialog.getByLabel('Phone number').fill('+55 85 99123-9999');
  await dialog.getByLabel('Gateway address').fill(`${platform.sandboxUrl}/gateway`);
  await dialog.getByLabel('Instance name').fill('shop');
  await dialog.getByLabel('Key (apikey)').fill('wrong');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog.getByText('Unauthorized').first().waitFor();
  await dialog.getByRole('button', { name: 'Change connection data' }).click();
  await dialog.getByLabel('Key (apikey)').fill(instance.api_key);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  const picture = dialog.getByRole('img', { name: 'QR code that the phone scans' });
  await picture.waitFor();
  assert.match((await picture.getAttribute('src')) ?? '', /^blob:/);
  const findWidth = (): Promise<number> =>
    picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  assert.ok((await waitUntil('the picture', findWidth)) > 200);
  await dialog.getByText('WZYEH1YY').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('link', { name: 'All settings' }).click();
  await page.getByText(`${platform.sandboxUrl}/gateway`).waitFor();
  await page.getByRole('button', { name: 'Pair a phone' }).click();
  await page.getByRole('dialog').getByText('WZYEH1YY').waitFor();
  await platform.sandbox('PATCH', '/sandbox/gateway/instances', { name: 'shop', state: 'open' });
  await page.getByText('The network has accepted the inbox.').waitFor();
  await page.getByRole('button', { name: 'All inboxes' }).click();
  await page.getByRole('row', { name: /Sales.*gateway.*Connected/ }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('an instance on the Cloud API shows its templates, which are made at the network, and a conversation offers them; a paired phone has none', async () => {
  const offers = async (integration: 'business' | 'baileys'): Promise<boolean> => {
    const instance = await connectInstance(platform, { integration });
    const { conversation } = await writeThrough(platform, instance);
    if (integration === 'business') await waitUntilCopied(platform, instance.inbox);
    const { page, complaints, close } = await openConsole(platform, browser, { path: `/inboxes/${instance.inbox}` });
    await page.getByText('The network has accepted the inbox.').waitFor();
    const templates = page.getByRole('button', { name: 'Templates', exact: true });
    assert.equal(await templates.count(), integration === 'business' ? 1 : 0);
    if (integration === 'business') {
      await templates.click();
      await page.getByRole('row', { name: /hello_world.*en_US/ }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'New template' }).count(), 0);
    }
    await page.goto(`${platform.url}/console/inbox/all/${conversation}`);
    await page.getByRole('textbox', { name: 'Write a message' }).waitFor();
    const isOffered = (await page.getByRole('button', { name: 'Send a template' }).count()) === 1;
    assert.deepEqual(complaints(), []);
    await close();
    return isOffered;
  };
  assert.deepEqual([await offers('business'), await offers('baileys')], [true, false]);
});
