/** The board in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { key } = platform.demo;

/** Makes a conversation with a contact of this name in a step. */
async function startConversation(name: string, from: string, step: string): Promise<string> {
  await platform.receive({ from, name, text: `Oi, aqui é ${name}` });
  const { body } = await platform.call(200, 'GET', `/v1/conversations?search=${from}`, { key });
  const [{ _id }] = body.result as [Json];
  await platform.call(200, 'PATCH', `/v1/conversations/${_id}`, { key, body: { step } });
  return _id as string;
}

async function createPipeline(): Promise<Json> {
  const body = { name: 'Obras', is_default: true, steps: [{ name: 'Pedido' }, { name: 'Visita' }, { name: 'Obra' }] };
  return (await platform.call(201, 'POST', '/v1/pipelines', { key, body })).body;
}

test('cards move by keyboard, menu and drag, come by themselves, go back when a move is refused, and open their chat', async () => {
  const { _id: pipeline, steps } = await createPipeline();
  const [first, second, third] = steps.map(({ _id }: Json) => _id as string) as [string, string, string];
  const { _id: owner } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Bia Reis');
  const ana = await startConversation('Ana Costa', '5511988880011', first);
  const stepOf = async (id: string): Promise<string> =>
    (await platform.call(200, 'GET', `/v1/conversations/${id}`, { key })).body.step as string;
  const isIn = (id: string, step: string): Promise<unknown> =>
    waitUntil('the move is stored', async () => (await stepOf(id)) === step);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  const cardIn = (step: string, name: string) =>
    page.getByRole('region', { name: step }).getByRole('link', { name: new RegExp(name) });

  await cardIn('Pedido', 'Ana Costa').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await cardIn('Visita', 'Ana Costa').waitFor();
  await isIn(ana, second);
  // The focus goes with the card.
  await cardIn('Visita', 'Ana Costa').and(page.locator(':focus')).waitFor();

  // The new card is there without a reload, and the arrows go to it.
  const rui = await startConversation('Rui Moreira', '5511988880012', first);
  await cardIn('Pedido', 'Rui Moreira').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Obra' }).click();
  await cardIn('Obra', 'Rui Moreira').waitFor();
  await isIn(rui, third);

  await cardIn('Visita', 'Ana Costa').dragTo(page.getByRole('region', { name: 'Obra' }));
  await cardIn('Obra', 'Ana Costa').waitFor();
  await isIn(ana, third);

  await platform.call(200, 'PATCH', `/v1/conversations/${rui}`, { key, body: { owner } });
  await cardIn('Obra', 'Rui Moreira').filter({ hasText: 'Bia Reis' }).locator('[data-initials=BR]').waitFor();

  // Somebody else removes the step, which this page still shows.
  const left = steps.filter(({ _id }: Json) => _id !== second).map(({ _id, name }: Json) => ({ _id, name }));
  await platform.call(200, 'PATCH', `/v1/pipelines/${pipeline}`, { key, body: { steps: left } });
  await cardIn('Obra', 'Ana Costa').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  // A notice is announced by a text of its own, so its box has no role for screen readers.
  await page.locator('[role=alertdialog]').waitFor();
  await cardIn('Obra', 'Ana Costa').waitFor();
  assert.equal(await stepOf(ana), third);

  await cardIn('Obra', 'Rui Moreira').press('Enter');
  await page.getByRole('log').getByText('Oi, aqui é Rui Moreira').waitFor();
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});
