/** The console while the platform is killed and comes back: a real process, and a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUser } from '../../src/features/users/users.ts';
import { buildNotification, buildTextElement, createNetwork } from '../full/harness/network.ts';
import { call, createInbox, withStage } from '../full/harness/stage.ts';
import { startBrowser } from '../support/browser.ts';
import { openConsoleAt, waitForSent } from '../support/console.ts';
import { PASSWORD } from '../support/people.ts';
import type { Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const PHONE = '100000000000400';
const browser = await startBrowser();

test('the platform is killed in the middle and comes back: the list equals the one of the API, and what was written meanwhile is sent once', () =>
  withStage({}, async (stage) => {
    const api = await stage.start('api');
    const { _id: company, key } = await stage.createTenant('Bakery');
    await createInbox(api, { _id: company, key }, PHONE);
    const email = 'ana@example.test';
    await stage.database.systemTx('upkeep', (tx) =>
      createUser(tx, { company, name: 'Ana', email, role: 'OWNER', password: PASSWORD }),
    );
    const network = createNetwork(stage.appSecret);
    let received = 0;
    const receive = (from: number, text: string): Promise<void> => {
      const element = buildTextElement(PHONE, `551198800010${from}`, `wamid.${(received += 1)}`, text);
      return network.postUntilHeard(api.url, buildNotification([element]));
    };
    const listTexts = async (): Promise<string[]> => {
      const path = '/v1/conversations?sort=-last_message_at';
      const { result }: Json = await call(200, 'GET', api.url + path, { key });
      return result.map(({ last_message }: Json) => last_message.content);
    };
    for (const from of [1, 2, 3]) await receive(from, `Pedido ${from}`);
    const { page, close } = await openConsoleAt({ url: api.url, email }, browser, { path: '/inbox/all' });
    const shown = page.getByRole('region', { name: 'Conversations' }).getByRole('link');
    await shown.filter({ hasText: 'Pedido 1' }).click();
    await page.getByRole('log').getByText('Pedido 1').waitFor();

    await api.kill();
    await page.getByLabel('Write a message').fill('Já vai');
    await page.keyboard.press('Enter');
    await api.restart();
    for (const [from, text] of [
      [4, 'Pedido 4'],
      [2, 'E o pedido 2?'],
      [5, 'Pedido 5'],
    ] as const)
      await receive(from, text);
    const written = page.getByRole('article').filter({ hasText: 'Já vai' });
    const sendAgain = written.getByRole('button', { name: 'Send again' });
    await waitUntil('the message to be taken', async () => {
      // The console itself tries for a minute, in which a busy machine may not have started the platform.
      if (await sendAgain.isVisible()) await sendAgain.click();
      return written.getByRole('img').isVisible();
    });
    await waitForSent(written);
    await waitUntil('the list of the API', async () => {
      const [expected, texts] = [await listTexts(), await shown.allInnerTexts()];
      return expected.length === texts.length && expected.every((text, index) => texts[index]?.includes(text));
    });
    const { messages } = await call(200, 'GET', `${stage.sandboxUrl}/sandbox/messages`);
    assert.deepEqual(
      messages.map((message: Json) => message.body.text.body),
      ['Já vai'],
    );
    await close();
    await network.close();
  }));
