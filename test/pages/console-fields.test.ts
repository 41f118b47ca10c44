/** Custom fields and pipelines in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { key } = platform.demo;

const list = async (path: string): Promise<Json[]> => (await platform.call(200, 'GET', path, { key })).body.result;

test('a field with choices is defined, refused with a reason beside its input, changed, and removed after a warning', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/fields' });
  await page.getByText('No fields yet').waitFor();
  await page.getByRole('button', { name: 'New field' }).click();
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Segmento');
  await form.getByLabel('Belongs to').selectOption('Businesses');
  await form.getByLabel('Type').selectOption('One of several choices');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.locator('[aria-invalid=true]').waitFor();
  await form.getByLabel('Choices').fill('Varejo\n\nIndústria');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Segmento Businesses/ }).press('Enter');
  await form.getByLabel('Choices').fill('Varejo\nIndústria\nServiços');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: /Varejo, Indústria, Serviços/ });
  await row.waitFor();
  const [field] = await list('/v1/custom-fields');
  assert.deepEqual(
    [field?.context, field?.type, field?.options],
    ['business', 'SELECT', ['Varejo', 'Indústria', 'Serviços']],
  );
  await row.click();
  await form.getByRole('button', { name: 'Remove' }).click();
  await form.getByText('All records lose the values').waitFor();
  await form.getByRole('button', { name: 'Remove with all values' }).click();
  await page.getByText('No fields yet').waitFor();
  assert.deepEqual(await list('/v1/custom-fields'), []);
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});

test('a pipeline is made and ordered, and a step with conversations is removed once somebody says where they go', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/fields/pipelines' });
  await page.getByRole('button', { name: 'New pipeline' }).click();
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Obras');
  await form.getByLabel('Stage 1', { exact: true }).fill('Visita');
  await form.getByRole('button', { name: 'Add a stage' }).click();
  await form.getByLabel('Stage 2', { exact: true }).fill('Pedido');
  await form.getByRole('button', { name: 'Add a stage' }).click();
  await form.getByLabel('Stage 3', { exact: true }).fill('Entregue');
  await form.getByLabel('Kind of stage 3').selectOption('Won');
  await form.getByRole('button', { name: 'Move Pedido up' }).click();
  await form.getByLabel('Default pipeline').check();
  await form.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: /Obras Pedido → Visita → Entregue Default/ });
  await row.waitFor();
  const pipeline = (await list('/v1/pipelines')).find(({ name }) => name === 'Obras') as Json;
  assert.deepEqual(
    pipeline.steps.map(({ kind }: Json) => kind),
    ['OPEN', 'OPEN', 'WON'],
  );

  await platform.receive({ from: '5511988880021', name: 'Ana Costa', text: 'Oi' });
  const [conversation] = await list('/v1/conversations');
  const [asked, visited] = pipeline.steps as Json[];
  const path = `/v1/conversations/${conversation?._id}`;
  await platform.call(200, 'PATCH', path, { key, body: { step: asked?._id } });
  await row.press('Enter');
  await form.getByRole('button', { name: 'Remove Pedido' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Conversations are in a stage that would be removed').waitFor();
  await form.getByLabel('Where the conversations of “Pedido” go').selectOption('Visita');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Obras Visita → Entregue/ }).waitFor();
  assert.equal((await platform.call(200, 'GET', path, { key })).body.step, visited?._id);

  await page.getByRole('row', { name: /Obras/ }).press('Enter');
  await form.getByRole('button', { name: 'Remove', exact: true }).click();
  await form.getByRole('button', { name: 'Remove the pipeline' }).click();
  await form.getByText('Make another one the default first').waitFor();
  assert.deepEqual(
    complaints().filter((text) => !/status of 409/.test(text)),
    [],
  );
  await close();
});
