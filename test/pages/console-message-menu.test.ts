/** The menu of a message in the console: reactions, the text, forwarding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../support/attachments.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { makePng } from '../support/media-samples.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { connectAccount, silenceAccounts, writeAs } from '../support/professional-network.ts';
import { readMessage, sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const browser = await startBrowser();
const { call } = platform;

const listMessages = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}?limit=100`)).body.result;
const listReactions = async (conversation: string): Promise<Json[]> =>
  (await listMessages(conversation)).filter(({ reaction }) => reaction).map(({ reaction }) => reaction);
const awaitReactions = async (conversation: string, expected: Json[]): Promise<void> => {
  await waitUntil('the reactions', async () => (await listReactions(conversation)).length === expected.length);
  assert.deepEqual(await listReactions(conversation), expected);
};

test('a reaction is chosen in the menu of a message, replaces the one before, and is taken back by a press on it', async () => {
  const { message, conversation } = await writeAsContact(platform, { name: 'Maria Silva', text: 'Obrigada!' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const bubble = page.getByRole('article').filter({ hasText: 'Obrigada!' });
  await bubble.getByRole('button', { name: 'Message actions' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Reply' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  // The emoji are the first items of the menu.
  await page.getByRole('menuitem', { name: '👍' }).and(page.locator('[data-highlighted]')).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const own = bubble.getByRole('button', { name: 'Remove your reaction ❤️' });
  await own.waitFor();
  const react = (emoji: string | null): Json => ({ message: message._id, emoji });
  await awaitReactions(conversation._id, [react('❤️')]);
  assert.deepEqual(await findBarriers(page), []);

  await bubble.hover();
  await bubble.getByRole('button', { name: 'React', exact: true }).click();
  await page.getByRole('menuitem', { name: 'More emoji' }).click();
  await page.getByRole('button', { name: '🎉' }).click();
  await own.waitFor({ state: 'detached' });
  await bubble.getByRole('button', { name: 'Remove your reaction 🎉' }).click();
  await bubble.getByText('🎉').waitFor({ state: 'detached' });
  await awaitReactions(conversation._id, [react('❤️'), react('🎉'), react(null)]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a reaction on LinkedIn stays, so the console does not offer to take it back', async () => {
  await silenceAccounts(platform);
  const account = await connectAccount(platform);
  const { conversation } = await writeAs(platform, account, { from: 'vera', text: 'Obrigada pela dica' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation}` });
  const bubble = page.getByRole('article').filter({ hasText: 'Obrigada pela dica' });
  await bubble.first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: '👍' }).click();
  await bubble.getByText('👍').waitFor();
  assert.equal(await bubble.getByRole('button', { name: /Remove your reaction/ }).count(), 0);
  await bubble.first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: '👍', disabled: true }).waitFor();
  await page.getByRole('menuitem', { name: '❤️' }).click();
  await bubble.getByText('❤️').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a reaction that the network refuses is shown with its cause, and not at the message', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Rui Costa', text: 'Ficou ótimo' });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const faults = { send: [{ kind: 'error', code: 131026 }] };
  await platform.sandbox('PUT', '/sandbox/settings', { faults });
  const bubble = page.getByRole('article').filter({ hasText: 'Ficou ótimo' });
  await bubble.first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: '👍' }).click();
  const failed = page.getByRole('article').filter({ has: page.getByRole('img', { name: 'Failed' }) });
  await failed.getByText('👍').waitFor();
  assert.equal(await bubble.getByRole('button', { name: /Remove your reaction/ }).count(), 0);
  await close();
});

test('a message in a web chat is deleted for everyone after a question, and one on another channel has no such item', async () => {
  const inbox = (await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Shop' } })).body._id;
  const contact = { name: 'Wanda Web', external_id: 'wanda' };
  const person = (await call(201, 'POST', '/v1/contacts', { body: contact })).body._id;
  const { body: conversation } = await call(201, 'POST', '/v1/conversations', { body: { inbox, contact: person } });
  await sendText(platform, conversation._id, { content: 'Wrong price' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const bubble = page.getByRole('article').filter({ hasText: 'Wrong price' });
  await bubble.getByRole('button', { name: 'Message actions' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete for everyone' }).click();
  await page.getByText('Delete this message for everyone?').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }).click();
  await page.getByText('This message was deleted by its sender.').waitFor();
  assert.equal((await listMessages(conversation._id)).at(-1)?.['content'], null);
  const { conversation: other } = await writeAsContact(platform, { name: 'Wilma Whats', text: 'Oi' });
  await sendText(platform, other._id, { content: 'Olá, Wilma' });
  await page.goto(`${platform.url}/console/inbox/all/${other._id}`);
  await page.getByRole('article').filter({ hasText: 'Olá, Wilma' }).first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy text' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Delete for everyone' }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the menu copies the text of a message, and of a note that is all it does', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ana Lima', text: 'Rua das Flores, 12' });
  await call(201, 'POST', '/v1/messages/note', {
    body: { conversationId: conversation._id, message: { content: 'She pays in cash' } },
  });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const open = async (text: string): Promise<void> => {
    const bubble = page.getByRole('article').filter({ hasText: text });
    await bubble.getByRole('button', { name: 'Message actions' }).press('Enter');
  };
  await open('Rua das Flores');
  await page.getByRole('menuitem', { name: 'Copy text' }).click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'Rua das Flores, 12');
  await open('She pays in cash');
  await page.getByRole('menuitem', { name: 'Copy text' }).waitFor();
  assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Copy text']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a forwarded text and a forwarded file go to the contact that is chosen, whose open conversation keeps its owner', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Carla Nunes', text: 'Olá' });
  const { conversation: other } = await writeAsContact(platform, { name: 'Pedro Amostra', text: 'Oi' });
  const { _id: owner } = await platform.createUser(platform.demo._id, 'OPERATOR');
  await call(200, 'PATCH', `/v1/conversations/${other._id}`, { body: { owner } });
  const picture = await uploadFile(platform, { data: makePng(40, 40), name: 'cake.png' });
  await sendText(platform, conversation._id, { content: 'Pix: loja@example.com' });
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-image', {
    body: { conversationId: conversation._id, message: { attachment: picture._id, content: 'This cake' } },
  });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const dialog = page.getByRole('dialog', { name: 'Forward message' });
  const forward = async (text: string): Promise<void> => {
    await page.goto(`${platform.url}/console/inbox/all/${conversation._id}`);
    const bubble = page.getByRole('article').filter({ hasText: text });
    await bubble.getByRole('button', { name: 'Message actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Forward' }).click();
    await dialog.getByRole('searchbox').fill('Pedro');
    await dialog.getByRole('button', { name: /Pedro Amostra/ }).click();
  };
  await forward('Pix:');
  assert.equal(await dialog.getByLabel('Message', { exact: true }).inputValue(), 'Pix: loja@example.com');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(`**/${other._id}`);
  await page.getByRole('article').filter({ hasText: 'Pix:' }).getByRole('img', { name: 'Sent' }).waitFor();
  await forward('This cake');
  await dialog.getByText('cake.png').waitFor();
  await dialog.getByLabel('Caption').fill('The cake for Friday');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(`**/${other._id}`);
  await page
    .getByRole('article')
    .filter({ hasText: 'The cake for Friday' })
    .getByRole('img', { name: 'Sent' })
    .waitFor();
  assert.equal((await call(200, 'GET', `/v1/conversations/${other._id}`)).body.owner, owner);
  const [, text, image] = await listMessages(other._id);
  assert.deepEqual(
    [text?.content, image?.content, image?.attachment],
    ['Pix: loja@example.com', 'The cake for Friday', picture._id],
  );
  assert.equal((await readMessage(platform, sent._id)).content, 'This cake');
  assert.deepEqual(complaints(), []);
  await close();
});
