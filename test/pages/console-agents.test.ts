/** Agents in the console, in a real browser over a real platform. No model is set up, so they answer with passages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform({ env: { AGENT_WAIT: '1s' } });
const { call, demo } = platform;
const browser = await startBrowser();

const writeItem = async (name: string, content: string): Promise<string> => {
  const { _id } = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name, content } })).body;
  await waitUntil('the item to be ready', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${_id}`);
    return body.status === 'READY';
  });
  return _id;
};
const delivery = await writeItem('Entrega', 'Entregamos bolos em toda a cidade de **segunda a sexta**.');
await writeItem('Pagamento', 'Aceitamos cartões de crédito e dinheiro.');

const table = (
  await call(201, 'POST', '/v1/tables', {
    body: { name: 'Preços', columns: [{ key: 'bolo', title: 'Bolo', type: 'TEXT' }] },
  })
).body._id;

test('an agent is created with one text as its knowledge, tried beside its form, changed, and removed after a second press', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/agents' });
  await page.getByText('No agents yet').waitFor();
  await page.getByRole('button', { name: 'New agent' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ana');
  await page.getByLabel('Where it looks for answers').selectOption({ label: 'In selected texts and files' });
  await page.getByText('It finds nothing yet').waitFor();
  await page.getByRole('button', { name: 'Add a text or file' }).click();
  const picker = page.getByRole('group', { name: 'Add a text or file' });
  await picker.getByRole('searchbox').fill('entre');
  await picker.getByRole('button', { name: 'Pagamento' }).waitFor({ state: 'detached' });
  await picker.getByRole('button', { name: 'Entrega' }).click();
  await page.getByRole('button', { name: 'Remove: Entrega' }).waitFor();
  await page.getByLabel('Read rows of selected tables').check();
  await page.getByRole('button', { name: 'Add a table' }).click();
  await page.getByRole('button', { name: 'Preços' }).click();
  await page.getByRole('button', { name: 'Remove: Preços' }).waitFor();
  await page.getByLabel('Words with which a contact asks for a person').fill('atendente\n\numa pessoa');
  await page.getByLabel('Most answers in a conversation').fill('0');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  await page.getByLabel('Most answers in a conversation').fill('7');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Ana' }).waitFor();
  const agents = (await call(200, 'GET', '/v1/agents')).body.result;
  assert.deepEqual(
    agents.map(({ name, knowledge, tools, tables, handoff }: Json) => [name, knowledge, tools, tables, handoff]),
    [
      [
        'Ana',
        [delivery],
        ['SEARCH_KNOWLEDGE', 'READ_TABLES'],
        [table],
        { enabled: true, keywords: ['atendente', 'uma pessoa'], max_turns: 7 },
      ],
    ],
  );

  const question = page.getByLabel('Question of a contact');
  const answer = page.locator('section', { hasText: 'Try it' }).getByRole('status');
  await question.fill('Vocês entregam bolo na cidade?');
  await question.press('Enter');
  await answer.getByText('Entregamos bolos em toda a cidade de segunda a sexta.').waitFor();
  await answer.getByText('It would send this').waitFor();
  await answer.getByRole('link', { name: 'Entrega · passage 1' }).waitFor();
  await answer.getByText('Text of the passage').click();
  await answer.getByRole('listitem').getByText('Entregamos bolos em toda a cidade').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await question.fill('Posso pagar com cartões de crédito?');
  await question.press('Enter');
  await answer.getByText('the agent found no answer').waitFor();

  await page.getByLabel('Where it looks for answers').selectOption({ label: 'In all knowledge' });
  await page.getByText('Save to try your changes').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing is sent, and only').waitFor();
  await question.press('Enter');
  await answer.getByText('Aceitamos cartões de crédito e dinheiro.').first().waitFor();

  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, remove' }).click();
  await page.getByText('Ana was removed').waitFor();
  await page.getByText('No agents yet').waitFor();
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});

test('an agent of a server is made with its address, and the list shows which inbox gives it new conversations', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/agents/new' });
  await page.getByLabel('Name', { exact: true }).fill('Robô');
  await page.getByLabel('Type').selectOption({ label: 'Own server' });
  await page.getByLabel('Server address').fill('http://127.0.0.1:9/turn');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('No inbox gives it new conversations').waitFor();
  assert.equal(await page.getByLabel('Type').isDisabled(), true);

  await page.goto(`${platform.url}/console/inboxes/${demo.inbox}`);
  await page.getByLabel('Agent of new conversations').selectOption({ label: 'Robô' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await page.getByRole('row', { name: /Robô Answers\s+Own server Sandbox phone/ }).press('Enter');
  await page.getByRole('link', { name: 'Sandbox phone' }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('who may only read sees an agent on a phone, without a button that changes anything or uses tokens', async () => {
  const body = { name: 'Clara', type: 'AI', instructions: 'Responda com poucas palavras.', tools: ['MOVE_STEP'] };
  await call(201, 'POST', '/v1/agents', { body });
  const viewport = { width: 390, height: 800 };
  const options = { role: 'VIEWER', path: '/agents', viewport } as const;
  const { page, complaints, close } = await openConsole(platform, browser, options);
  const row = page.getByRole('row', { name: /Clara/ });
  await row.waitFor();
  assert.equal(await page.getByRole('button', { name: 'New agent' }).count(), 0);
  await row.press('Enter');
  assert.equal(await page.getByLabel('Instructions').isDisabled(), true);
  assert.equal(await page.getByLabel('Move the conversation to another stage').isChecked(), true);
  assert.equal(await page.getByRole('button', { name: /Save|Remove/ }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Ask' }).count(), 0);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation shows what the agent read for its answer and why it handed over, and is taken over and handed back with one press each', async () => {
  const body = { name: 'Bia do atendimento da loja', type: 'AI', knowledge: [delivery] };
  const { _id: agent } = (await call(201, 'POST', '/v1/agents', { body })).body;
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const from = '5511988880101';
  await platform.receive({ from, name: 'Maria Silva', text: 'Vocês entregam bolo na cidade?' });
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  await page.getByText('Bia do atendimento da loja answers this conversation.').waitFor();
  const answer = page.getByRole('log').getByRole('article').filter({ hasText: 'Entregamos bolos' });
  await answer.getByText('Bia do atendimento da loja', { exact: true }).waitFor();
  await answer.getByRole('button', { name: 'What it read' }).click();
  const dialog = page.getByRole('dialog', { name: 'What the agent read and did' });
  await dialog.getByRole('link', { name: 'Entrega · passage 1' }).waitFor();
  await dialog.getByText('The agent has answered.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText(/^A person answers instead of Bia/).waitFor();
  const [conversation] = (await call(200, 'GET', '/v1/conversations')).body.result;
  assert.equal(conversation.handled_by, 'HUMAN');
  assert.notEqual(conversation.owner, null);
  await page.getByRole('button', { name: 'Hand back' }).click();
  await page.getByText('Bia do atendimento da loja answers this conversation.').waitFor();

  await platform.receive({ from, name: 'Maria Silva', text: 'Qual é o telefone do gerente?' });
  const reason = page.getByRole('button', { name: /the agent found no answer/ });
  await reason.click();
  await dialog.getByText('the agent found no answer').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 800 });
  await waitUntil('the messages to have room on a phone', async () => {
    const box = await page.getByRole('log').boundingBox();
    return box && box.height > 350;
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator('section > header').getByRole('button', { name: 'Olga Operator' }).click();
  await page.getByRole('menuitem', { name: /^Bia/ }).click();
  await page.getByText('Bia do atendimento da loja answers this conversation.').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('AI assist says before and after it is saved why it cannot work: no model, an agent that is switched off, or nothing that users can do', async () => {
  const body = { name: 'Eva', type: 'AI' };
  const { _id } = (await call(201, 'POST', '/v1/agents', { body })).body;
  await call(200, 'PATCH', `/v1/agents/${_id}`, { body: { status: 'INACTIVE' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/agents' });
  await page.getByRole('button', { name: 'AI assist' }).click();
  const dialog = findDialog(page);
  await dialog.getByText('AI assist does not work yet: this installation has no model.').waitFor();
  await dialog.getByLabel('Agent').selectOption('Eva');
  await dialog.getByText('This agent is switched off.').waitFor();
  const acts = await dialog.getByRole('checkbox').all();
  for (const act of acts) await act.uncheck();
  await dialog.getByText('Choose at least one.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved, but AI assist does not work yet').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
