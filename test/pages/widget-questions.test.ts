/** The questions before the first message, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { makePng } from '../support/media-samples.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { prove } from '../support/web-chat.ts';
import { findReceived, openShop, startShop } from '../support/widget.ts';

const platform = await startPlatform();
const { call } = platform;
const browser = await startBrowser();

test('the questions are asked before the first message, and their answers reach the company with it', async () => {
  const { body: field } = await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Topic', slug: 'topic', context: 'contact', type: 'SELECT', options: ['Order', 'Other'] },
  });
  const asking = await startShop(platform, {
    config: {
      questions: [
        { kind: 'NAME', required: true },
        { kind: 'EMAIL', required: false },
        { kind: 'CUSTOM_FIELD', slug: field.slug, required: false },
      ],
    },
  });
  const { chat, openChat, write, waitFor, complaints, close } = await openShop(browser, asking);
  await openChat();
  await chat.getByRole('button', { name: 'Start the chat' }).click();
  await chat.getByText('Please fill this in.').waitFor();
  await chat.getByLabel('Your name').fill('Maria <b>Souza</b>');
  await chat.getByLabel('Your e-mail (optional)').fill('maria');
  await chat.getByText('Please write an e-mail address.').waitFor();
  await chat.getByLabel('Your e-mail (optional)').fill('maria@shop.example');
  await chat.getByLabel('Topic (optional)').selectOption('Order');
  await chat.getByRole('button', { name: 'Start the chat' }).click();
  await write('Hello from Maria');
  await waitFor('Hello from Maria');
  const { contact } = await findReceived(platform, 'Hello from Maria');
  const { body } = await call(200, 'GET', `/v1/contacts/${contact}`);
  assert.equal(body.name, 'Maria <b>Souza</b>');
  assert.deepEqual(complaints, []);
  await close();
});

test('a file before the first text brings the answers with it, and the text after it is taken', async () => {
  const asking = await startShop(platform, { config: { questions: [{ kind: 'NAME', required: true }] } });
  const { page, chat, openChat, write, waitFor, complaints, close } = await openShop(browser, asking);
  await openChat();
  await chat.getByLabel('Your name').fill('Rita');
  await chat.getByRole('button', { name: 'Start the chat' }).click();
  const chosen = page.waitForEvent('filechooser');
  await chat.getByRole('button', { name: 'Attach files' }).click();
  await (await chosen).setFiles({ name: 'cake.png', mimeType: 'image/png', buffer: makePng(40, 30) });
  await write('This is the cake');
  await chat.getByRole('img', { name: 'cake.png' }).waitFor();
  await waitFor('This is the cake');
  const { contact, conversation } = await findReceived(platform, 'This is the cake');
  assert.equal((await call(200, 'GET', `/v1/contacts/${contact}`)).body.name, 'Rita');
  const { body } = await call(200, 'GET', `/v1/messages?conversation=${conversation}&sort=createdAt`);
  assert.deepEqual(
    body.result.map(({ contentType }: Json) => contentType),
    ['INTERACTIVE', 'IMAGE', 'TEXT'],
  );
  assert.deepEqual(complaints, []);
  await close();
});

test('after a log-out the next person is asked the questions anew, and their first text is taken', async () => {
  const asking = await startShop(platform, { config: { questions: [{ kind: 'NAME', required: true }] } });
  const { page, chat, openChat, write, close } = await openShop(browser, asking);
  await openChat();
  const begin = async (name: string): Promise<void> => {
    await chat.getByLabel('Your name').fill(name);
    await chat.getByRole('button', { name: 'Start the chat' }).click();
  };
  await begin('Vera');
  await write('I am Vera');
  await findReceived(platform, 'I am Vera');
  await page.evaluate('window.parley.reset()');
  await page.evaluate(`window.parley.push(['identify', ${JSON.stringify(await prove({ sub: 'lia-9' }))}])`);
  await begin('Lia');
  await write('I am Lia');
  const { contact } = await findReceived(platform, 'I am Lia');
  const { body } = await call(200, 'GET', `/v1/contacts/${contact}`);
  assert.deepEqual([body.external_id, body.name], ['lia-9', 'Lia']);
  await close();
});
