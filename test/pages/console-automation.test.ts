/** Macros and rules in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { silenceNetwork } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;
await silenceNetwork(platform);
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

test('a macro is written by keyboard, and run from the conversation and from the palette', async () => {
  await platform.receive({ from: '5511988880071', name: 'Maria Silva', text: 'Obrigada!' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/macros' });
  await page.getByRole('button', { name: 'New macro' }).press('Enter');
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Thank and close');
  const add = async (action: string): Promise<void> => {
    await form.getByRole('button', { name: 'Add an action' }).press('Enter');
    await page.getByRole('menuitem', { name: action }).press('Enter');
  };
  await add('Send a text');
  await form.getByRole('textbox', { name: 'Send a text' }).fill('Obrigado, {{contact.first_name}}!');
  await add('Add tags');
  await form.getByRole('textbox', { name: 'Add tags' }).fill('done, thanked');
  await add('Set the status');
  const status = form.getByRole('combobox', { name: 'Set the status' });
  assert.equal(await status.inputValue(), 'OPEN', 'what is saved without a look at it closes nothing');
  await status.selectOption('CLOSED');
  assert.deepEqual(await findBarriers(page), []);
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  await page.getByRole('row', { name: /Thank and close .* Everyone in the company/ }).waitFor();
  const [macro] = (await read('/v1/macros')).result;
  assert.deepEqual(macro.actions, {
    reply: 'Obrigado, {{contact.first_name}}!',
    add_tags: ['done', 'thanked'],
    status: 'CLOSED',
  });

  await page.goto(`${platform.url}/console/inbox/unassigned`);
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  await page.getByRole('button', { name: 'Run a macro' }).click();
  await page.getByRole('menuitem', { name: 'Thank and close' }).press('Enter');
  await page.getByText('Thank and close: done').waitFor();
  await page.getByText('Obrigado, Maria!').first().waitFor();
  const [conversation] = (await read('/v1/conversations')).result;
  assert.deepEqual([conversation.status, conversation.tags], ['CLOSED', ['done', 'thanked']]);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('macro thank');
  await page.getByRole('option', { name: 'Run the macro Thank and close' }).click();
  await page.getByText('Thank and close: done').last().waitFor();
  await waitUntil('the second message', async () => {
    const { result } = await read(`/v1/scheduled-messages?conversation=${conversation._id}`);
    return result.length === 2;
  });
  assert.deepEqual(complaints(), []);
  await close();
});

test('a macro is run in the selected conversations from their bar and from the palette, after a question with their number', async () => {
  const actions = { note: 'Ligar amanhã', priority: 'HIGH' };
  await call(201, 'POST', '/v1/macros', { body: { name: 'Call back', actions } });
  const people = ['Bia Ramos', 'Caio Ramos'];
  for (const [index, name] of people.entries())
    await platform.receive({ from: `551198888008${index}`, name, text: 'Liguem, por favor' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
  for (const name of people) await page.getByRole('checkbox', { name: `Select the conversation with ${name}` }).check();
  const bar = page.getByRole('region', { name: '2 selected' });
  await bar.getByRole('button', { name: 'Run a macro' }).click();
  await page.getByRole('menuitem', { name: 'Call back' }).press('Enter');
  assert.deepEqual(await findBarriers(page), []);
  await findDialog(page).getByRole('button', { name: 'Run the macro Call back in 2 conversations' }).click();
  await page.getByText('Macro Call back run in 2 conversations').waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('call back');
  await page.getByRole('option', { name: 'Run the macro Call back in 2 conversations' }).click();
  await findDialog(page).getByRole('button', { name: 'Back', exact: true }).click();
  for (const { _id, priority } of (await read('/v1/conversations?search=ramos')).result as Json[]) {
    const notes = (await read(`/v1/messages/conversation/${_id}`)).result.filter(
      ({ message_type: type }: Json) => type === 'NOTE',
    );
    assert.deepEqual([priority, notes.map(({ content }: Json) => content)], ['HIGH', ['Ligar amanhã']]);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('a rule is written, as number 1, tried on the last days, and shows what it has done and the message that started it', async () => {
  await platform.receive({ from: '5511988880072', name: 'Carla Modelo', text: 'Pode mandar a nota fiscal?' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/rules' });
  await page.getByRole('button', { name: 'New rule' }).press('Enter');
  await page.getByLabel('Name', { exact: true }).fill('Invoices');
  await page.getByRole('button', { name: 'Condition' }).press('Enter');
  await page.getByLabel('Values').fill('nota fiscal, fatura');
  await page.getByRole('button', { name: 'Condition', exact: true }).press('Enter');
  await page.getByLabel('Field').nth(1).selectOption({ label: 'Channel' });
  await page.getByLabel('Values').nth(1).selectOption({ label: 'WhatsApp' });
  await page.getByRole('button', { name: 'Remove: WhatsApp' }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await page.getByText(/^1 of \d+ messages match$/).waitFor();
  await page.getByRole('list', { name: 'Matches' }).getByRole('link', { name: 'Carla Modelo' }).waitFor();
  await page.getByRole('button', { name: 'Create' }).press('Enter');
  await page.getByText('Add at least one action.').waitFor();
  await page.getByRole('button', { name: 'Add an action' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Add tags' }).press('Enter');
  await page.getByRole('textbox', { name: 'Add tags' }).fill('billing');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Create' }).press('Enter');
  await page.getByRole('heading', { name: 'Invoices' }).waitFor();
  await page.getByText('The rule has not run yet.').waitFor();
  assert.equal(await page.getByLabel('Order').inputValue(), '1');
  const [rule] = (await read('/v1/rules')).result;
  assert.equal(rule.position, 0);
  assert.deepEqual(rule.conditions, [
    {
      match: 'ALL',
      conditions: [
        { field: 'text', operator: 'CONTAINS_ANY_OF', values: ['nota fiscal', 'fatura'] },
        { field: 'channel', operator: 'ANY_OF', values: ['WAP_AUTO_CLOSER'] },
      ],
    },
  ]);

  await platform.receive({ from: '5511988880072', text: 'A fatura, por favor' });
  await waitUntil('the rule to run', async () => (await read(`/v1/rules/${rule._id}/runs`)).result.length > 0);
  await page.getByRole('button', { name: 'Read the newest runs' }).click();
  const runs = page.getByRole('list', { name: 'Runs' });
  await runs.getByText('Done').waitFor();
  await runs.getByText('A fatura, por favor', { exact: true }).waitFor();
  const link = runs.getByRole('link', { name: 'Carla Modelo' });
  const { message } = (await read(`/v1/rules/${rule._id}/runs`)).result[0];
  assert.ok((await link.getAttribute('href'))?.endsWith(`?message=${message}`));
  await link.click();
  await page.getByText('Tag billing added').waitFor();
  await page.goto(`${platform.url}/console/rules/${rule._id}`);
  await page.getByLabel('The rule is on').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  assert.equal((await read(`/v1/rules/${rule._id}`)).is_active, false);
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});
