/** AI assist in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { fillLogIn, findBarriers, findDialog, openConsole } from '../support/console.ts';
import { say, sendJson, startModel } from '../support/model.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';

const model = await startModel();
const platform = await startPlatform({ env: { AGENT_WAIT: '1h', AI_BASE_URL: model.url, AI_MODEL: 'small' } });
const { call, database } = platform;
const browser = await startBrowser();

const { conversation, contact, message } = await writeAsContact(platform, {
  name: 'Rui',
  text: 'Vocês fazem bolo de cenoura?',
});
const agent = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' } })).body;
const ALL = ['DRAFT', 'REWRITE', 'SUMMARIZE', 'TRANSLATE'];
const allow = (acts: string[]): Promise<Json> =>
  call(200, 'PUT', '/v1/agents/assist', { body: { agent: agent._id, acts } });
const answer = (words: string): void => model.answer((_call, response) => sendJson(response, say(words)));
const path = `/inbox/all/${conversation._id}`;
const findMore = (page: Page, name = 'More') => page.locator('header').getByRole('button', { name, exact: true });
const findComposer = (page: Page) => page.getByRole('textbox', { name: 'Write a message' });

test('nobody sees AI in the inbox before an admin chooses the agent and what it may write', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const article = page.getByRole('log').getByRole('article').first();
  await article.getByText('Vocês fazem bolo').waitFor();
  await article.hover();
  await article.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy text' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Translate' }).count(), 0);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('button', { name: 'AI', exact: true }).count(), 0);
  await findMore(page).click();
  await page.getByRole('menuitem', { name: 'Text file' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Summarize' }).count(), 0);
  await page.keyboard.press('Escape');
  await page.goto(`${platform.url}/console/agents`);
  await page.getByRole('button', { name: 'AI assist' }).click();
  const dialog = findDialog(page);
  await dialog.getByLabel('Agent').selectOption('Ana');
  await dialog.getByLabel('Rewrite texts').uncheck();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { body } = await call(200, 'GET', '/v1/agents/assist');
  assert.deepEqual([body.agent, body.acts], [agent._id, ['DRAFT', 'SUMMARIZE', 'TRANSLATE']]);
  await page.goto(`${platform.url}/console${path}`);
  await page.getByRole('button', { name: 'AI', exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a draft comes into the composer, is undone, and is sent only by the user', async () => {
  await allow(ALL);
  answer('Sim, aos domingos!');
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const composer = findComposer(page);
  await composer.fill('Oi');
  await page.getByRole('button', { name: 'AI', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Draft a reply' }).click();
  await page.getByText('Check it before you send it').waitFor();
  assert.equal(await composer.inputValue(), 'Sim, aos domingos!');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.equal(await composer.inputValue(), 'Oi');
  answer('Olá!');
  await page.getByRole('button', { name: 'AI', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Friendlier' }).click();
  await page.getByText('Check it before you send it').waitFor();
  assert.equal(await composer.inputValue(), 'Olá!');
  const { result } = (await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`)).body;
  assert.equal(result.length, 1);
  await composer.fill('');
  assert.deepEqual(complaints(), []);
  await close();
});

test('undo gives back step by step what the person wrote, also after a draft in another conversation', async () => {
  await allow(ALL);
  const second = (await writeAsContact(platform, { name: 'Eva', text: 'Olá' })).conversation;
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const write = async (item: string, words: string): Promise<void> => {
    answer(words);
    await page.getByRole('button', { name: 'AI', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByText('Check it before you send it').waitFor();
    assert.equal(await findComposer(page).inputValue(), words);
  };
  await findComposer(page).fill('What I wrote');
  await write('Draft a reply', 'A long draft');
  await write('Shorter', 'A draft');
  await page.getByRole('link', { name: 'Eva' }).click();
  await page.getByRole('heading', { name: 'Eva', level: 1 }).waitFor();
  await write('Draft a reply', 'Olá, Eva');
  await page.getByRole('link', { name: 'Rui' }).click();
  await page.getByRole('heading', { name: 'Rui', level: 1 }).waitFor();
  for (const before of ['A long draft', 'What I wrote']) {
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.equal(await findComposer(page).inputValue(), before);
  }
  await findComposer(page).fill('');
  await database.sql('update conversations set window_expires_at = now() where _id = $1', [second._id]);
  await page.goto(`${platform.url}/console/inbox/all/${second._id}`);
  await page.getByText('Only a template can be sent').waitFor();
  await page.getByRole('button', { name: 'Send a template' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'AI', exact: true }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('by keyboard, a text is translated, the translation is undone with Ctrl Z, and a request is stopped', async () => {
  await allow(ALL);
  answer('Sim, claro!');
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const composer = findComposer(page);
  await composer.fill('Yes, sure!');
  const menu = page.getByRole('button', { name: 'AI', exact: true });
  await menu.waitFor();
  await menu.press('Enter');
  await page.getByRole('menuitem', { name: 'Portug' }).press('Enter');
  await page.getByText('Check it before you send it').waitFor();
  assert.equal(await composer.inputValue(), 'Sim, claro!');
  assert.match(model.calls.at(-1)?.body.messages[0].content, /You translate[^]*\(pt-BR\)/);
  await composer.press('Control+z');
  assert.equal(await composer.inputValue(), 'Yes, sure!');
  const asked = Promise.withResolvers<void>();
  model.answer(() => asked.resolve());
  await menu.press('Enter');
  await page.getByRole('menuitem', { name: 'Shorter' }).press('Enter');
  await asked.promise;
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByText('AI is writing').waitFor({ state: 'hidden' });
  assert.equal(await composer.inputValue(), 'Yes, sure!');
  await composer.fill('');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a message is translated below its text, and is gone when it is hidden, its reader logs out, or its message is edited', async () => {
  await allow(ALL);
  answer('Do you bake carrot cakes?');
  const { page, complaints, close } = await openConsole(platform, browser, { path });
  const article = page.getByRole('log').getByRole('article').filter({ hasText: 'Vocês fazem bolo' });
  await article.hover();
  await article.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Translate' }).click();
  await article.getByText('Do you bake carrot cakes?').waitFor();
  await article.getByText('Translated by AI').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await article.getByRole('button', { name: 'Hide' }).press('Enter');
  await article.getByText('Do you bake carrot cakes?').waitFor({ state: 'detached' });
  const choose = async (item: string): Promise<void> => {
    await article.hover();
    await article.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  await choose('Translate');
  await article.getByText('Do you bake carrot cakes?').waitFor();
  await choose('Hide translation');
  await article.getByText('Do you bake carrot cakes?').waitFor({ state: 'detached' });
  await choose('Translate');
  await article.getByText('Do you bake carrot cakes?').waitFor();
  assert.deepEqual(complaints(), []);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await fillLogIn(page, (await createPerson(platform, platform.demo._id, 'OWNER')).email);
  await article.getByText('Vocês fazem bolo').waitFor();
  assert.equal(await page.getByText('Do you bake carrot cakes?').count(), 0);
  await choose('Translate');
  await article.getByText('Do you bake carrot cakes?').waitFor();
  const edit = {
    original_message_id: message.external_id,
    message: { type: 'text', text: { body: 'Vocês fazem bolo?' } },
  };
  await platform.sandbox('POST', '/sandbox/inbound', {
    from: contact.phone_number.slice(1),
    type: 'edit',
    raw: { edit },
  });
  await article.getByText('edited').first().waitFor();
  await article.getByText('Do you bake carrot cakes?').waitFor({ state: 'detached' });
  await close();
});

test('a summary appears above the messages in the language of the user, and says why there is none', async () => {
  await allow(ALL);
  answer('Rui pregunta por tortas.');
  const { page, close } = await openConsole(platform, browser, { path, language: 'es' });
  const more = findMore(page, 'Más');
  await more.press('Enter');
  await page.getByRole('menuitem', { name: 'Resumir' }).press('Enter');
  await page.getByRole('status', { name: 'Resumen de la IA' }).getByText('Rui pregunta por tortas.').waitFor();
  assert.match(model.calls.at(-1)?.body.messages[0].content, /Write in Spanish/);
  await page.getByRole('button', { name: 'Ocultar' }).click();
  await page.getByText('Rui pregunta por tortas.').waitFor({ state: 'detached' });
  model.answer((_call, response) => sendJson(response, { error: 'busy' }, 500));
  await more.click();
  await page.getByRole('menuitem', { name: 'Resumir' }).click();
  await page.getByText('La IA no respondió o tardó demasiado. Inténtelo de nuevo.').first().waitFor();
  await close();
});
