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

/** Makes a conversation with a contact of this name in a step, or in none. */
async function startConversation(name: string, from: string, step: string | null): Promise<string> {
  await platform.receive({ from, name, text: `Oi, aqui é ${name}` });
  const { body } = await platform.call(200, 'GET', `/v1/conversations?search=${from}`, { key });
  const [{ _id }] = body.result as [Json];
  if (step) await platform.call(200, 'PATCH', `/v1/conversations/${_id}`, { key, body: { step } });
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

test('conversations without a stage wait in the first column of the default pipeline alone, and move out of it and back', async () => {
  const { steps } = await createPipeline();
  const other = { name: 'Pós-venda', steps: [{ name: 'Garantia' }] };
  const { _id: second } = (await platform.call(201, 'POST', '/v1/pipelines', { key, body: other })).body;
  const lia = await startConversation('Lia Prado', '5511988880021', null);
  const asleep = await startConversation('Davi Reis', '5511988880022', null);
  const snoozed_until = new Date(Date.now() + 3_600_000).toISOString();
  await platform.call(200, 'PATCH', `/v1/conversations/${asleep}`, { key, body: { status: 'SNOOZED', snoozed_until } });
  await startConversation('Eva Luz', '5511988880023', null);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  const region = (name: string) => page.getByRole('region', { name });
  const cardIn = (step: string, name: string) => region(step).getByRole('link', { name: new RegExp(name) });
  const isIn = (step: string | null): Promise<unknown> =>
    waitUntil('the move is stored', async () => {
      const { body } = await platform.call(200, 'GET', `/v1/conversations/${lia}`, { key });
      return body.step === step;
    });

  await cardIn('No stage', 'Eva Luz').waitFor();
  assert.equal(await cardIn('No stage', 'Davi Reis').count(), 0);
  assert.equal(
    await region('No stage').evaluate((column: Json) => column.parentElement.firstElementChild === column),
    true,
  );
  await cardIn('No stage', 'Lia Prado').dragTo(region('Pedido'));
  await cardIn('Pedido', 'Lia Prado').waitFor();
  await isIn(steps[0]._id);
  await cardIn('Pedido', 'Lia Prado').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await cardIn('No stage', 'Lia Prado').and(page.locator(':focus')).waitFor();
  await isIn(null);
  await page.locator('[data-card]').filter({ hasText: 'Lia Prado' }).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Visita' }).press('Enter');
  await cardIn('Visita', 'Lia Prado').and(page.locator(':focus')).waitFor();
  await isIn(steps[1]._id);

  await page.goto(`${platform.url}/console/board/${second}`);
  await region('Garantia').waitFor();
  assert.equal(await region('No stage').count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a card that is moved again before the platform has answered stays in its new column with the focus', async () => {
  const { steps } = await createPipeline();
  const id = await startConversation('Noa Melo', '5511988880031', steps[0]._id);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  const cardIn = (step: string) => page.getByRole('region', { name: step }).getByRole('link', { name: /Noa Melo/ });
  await cardIn('Pedido').waitFor();
  // Each answer waits until the test lets it go.
  const held: (() => Promise<void>)[] = [];
  await page.route(/conversations\/[^/?]+(\/step)?$/, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    const response = await route.fetch();
    held.push(() => route.fulfill({ response }));
  });
  const answered = (count: number): Promise<unknown> =>
    waitUntil('the platform has answered', async () => held.length === count);
  await cardIn('Pedido').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await cardIn('Visita').and(page.locator(':focus')).waitFor();
  await answered(1);
  await page.keyboard.press('Shift+ArrowLeft');
  await cardIn('Pedido').and(page.locator(':focus')).waitFor();
  // The first move is answered while the second one waits, and then the stream brings a later version.
  await held[0]?.();
  await answered(2);
  await platform.call(200, 'PATCH', `/v1/conversations/${id}`, { key, body: { tags: ['urgent'] } });
  await cardIn('Pedido').filter({ hasText: 'urgent' }).and(page.locator(':focus')).waitFor();
  const handled = page.waitForResponse((answer) => answer.request().method() !== 'GET' && answer.url().includes(id));
  await held[1]?.();
  await handled;
  await page.evaluate('new Promise(requestAnimationFrame)');
  await waitUntil('the last move is stored', async () => {
    const { body } = await platform.call(200, 'GET', `/v1/conversations/${id}`, { key });
    return body.step === steps[0]._id;
  });
  await cardIn('Pedido').and(page.locator(':focus')).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

for (const width of [1280, 390]) {
  test(`a card with a long name and an unread badge stays in its column, ${width} pixels wide`, async () => {
    await createPipeline();
    const name = `Construtora Residencial e Comercial Andrade ${'Vasconcelos '.repeat(6)}${width}`;
    await startConversation(name, `5511988880${String(width).padStart(4, '0')}`, null);
    const { page, close } = await openConsole(platform, browser, { path: '/board', viewport: { width, height: 800 } });
    const card = page.locator('[data-card]').filter({ hasText: `Vasconcelos ${width}` });
    await card.waitFor();
    const [outer, badge, menu] = await Promise.all(
      [card, card.getByLabel(/unread/i).first(), card.getByRole('button')].map((each) => each.boundingBox()),
    );
    assert.ok(outer && badge && menu);
    assert.ok(badge.x + badge.width <= outer.x + outer.width, JSON.stringify([outer, badge]));
    assert.ok(badge.y >= menu.y + menu.height, 'the menu does not cover the badge');
    await close();
  });
}
