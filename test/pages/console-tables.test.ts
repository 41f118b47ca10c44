/** Tables in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { key } = platform.demo;

const call = async (method: string, path: string, body?: Json): Promise<Json> =>
  (await platform.call(method === 'POST' ? 201 : 200, method, path, { key, body })).body;
const listRows = async (table: Json): Promise<Json[]> =>
  (await call('GET', `/v1/tables/${table._id}/rows?sort=row_index&limit=100`)).result;

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const each of keys) await page.keyboard.press(each);
}

test('a table is made, and its rows are written by keyboard alone; a value that does not fit stays in its cell with the reason', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/tables' });
  await page.getByRole('button', { name: 'New table' }).click();
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Preços');
  await form.getByLabel('Column 1', { exact: true }).fill('Produto');
  await form.getByLabel('Required in every row').check();
  for (const [place, title, type] of [
    [2, 'Preço', 'Number'],
    [3, 'Disponível', 'Yes or no'],
    [4, 'Categoria', 'One of several choices'],
    [5, 'Desde', 'Date'],
  ] as const) {
    await form.getByRole('button', { name: 'Add a column' }).click();
    await form.getByLabel(`Column ${place}`, { exact: true }).fill(title);
    await form.getByLabel(`Type of column ${place}`).selectOption(type);
  }
  await form.getByRole('button', { name: 'Create' }).click();
  await form.locator('[aria-invalid=true]').waitFor();
  await form.getByLabel('Choices of column 4').fill('Pães\nBolos');
  assert.deepEqual(await findBarriers(page), []);
  await form.getByRole('button', { name: 'Create' }).click();

  await page.getByText('No rows yet').waitFor();
  await page.getByRole('button', { name: 'New row' }).press('Enter');
  await page.getByRole('textbox', { name: 'Produto' }).waitFor();
  await page.keyboard.type('Broa');
  await press(page, 'Tab');
  await page.keyboard.type('12 reais');
  await press(page, 'Enter');
  const price = page.getByRole('gridcell').nth(1);
  await price.getByText(/must be a number/).waitFor();
  assert.equal(await page.getByRole('grid').getByRole('row').count(), 2);
  await press(page, 'Enter', 'Control+a');
  await page.keyboard.type('12.5');
  await press(page, 'Tab', ' ', 'ArrowRight', 'Enter');
  await page.getByRole('combobox', { name: 'Categoria' }).selectOption('Bolos');
  await press(page, 'Tab');
  const [table] = (await call('GET', '/v1/tables')).result;
  await waitUntil('the row', async () => (await listRows(table))[0]?.data.categoria === 'Bolos');
  const data = { produto: 'Broa', preco: 12.5, disponivel: true, categoria: 'Bolos' };
  assert.deepEqual((await listRows(table))[0]?.data, data);
  assert.deepEqual(await findBarriers(page), []);

  await press(page, 'ArrowLeft', 'Delete', 'Home');
  await page.keyboard.type('Pão');
  await press(page, 'Escape', 'ArrowLeft', 'Enter');
  await waitUntil('the cleared value', async () => (await listRows(table))[0]?.data.categoria === undefined);
  assert.equal((await listRows(table))[0]?.data.produto, 'Broa');
  await page.getByRole('menuitem', { name: 'Remove row 1' }).press('Enter');
  await form.getByRole('button', { name: 'Remove' }).press('Enter');
  await form.getByRole('button', { name: 'Yes, remove' }).press('Enter');
  await page.getByText('No rows yet').waitFor();
  assert.deepEqual(await listRows(table), []);
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});

test('a long table is read on while somebody moves through it, searched and ordered, with few rows in the document', async () => {
  const columns = [{ key: 'city', title: 'City', type: 'TEXT' }];
  const table = await call('POST', '/v1/tables', { name: 'Cities', columns });
  for (let first = 1; first <= 230; first += 23) {
    const numbers = Array.from({ length: 23 }, (_, index) => first + index);
    await Promise.all(
      numbers.map((number) => call('POST', `/v1/tables/${table._id}/rows`, { data: { city: `City ${number}` } })),
    );
  }
  const { page, complaints, close } = await openConsole(platform, browser, {
    path: `/tables/${table._id}`,
    viewport: { width: 390, height: 800 },
  });
  const grid = page.getByRole('grid', { name: 'Cities' });
  await grid.getByRole('gridcell').first().click();
  // The last row may be read after the focus has gone to the last one before it.
  await waitUntil('the focus on the last row', async () => {
    await press(page, 'Control+End');
    return (await grid.locator('[role=row]:has(:focus)').innerText()).includes('230');
  });
  assert.ok((await grid.getByRole('row').count()) <= 60);
  await page.getByLabel('Order').selectOption('Last row first');
  await waitUntil('the last row first', async () => (await grid.getByRole('row').nth(1).innerText()).startsWith('230'));
  await page.getByPlaceholder('Search in all values').fill('city 117');
  await waitUntil('the row that is searched', async () => (await grid.getByRole('row').count()) === 2);
  assert.deepEqual(complaints(), []);
  await close();
});

test('rows that others write, change and remove show by themselves, and a search offers to be read again', async () => {
  const columns = [{ key: 'city', title: 'City', type: 'TEXT' }];
  const table = await call('POST', '/v1/tables', { name: 'Routes', columns });
  const rows = `/v1/tables/${table._id}/rows`;
  await call('POST', rows, { data: { city: 'Recife' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/tables/${table._id}` });
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true });
  await cell('Recife').waitFor();
  const { _id } = await call('POST', rows, { data: { city: 'Natal' } });
  await cell('Natal').waitFor();
  await page.getByText('Rows: 2').waitFor();
  await call('PATCH', `${rows}/${_id}`, { data: { city: 'Olinda' } });
  await cell('Olinda').waitFor();
  await call('DELETE', `${rows}/${_id}`);
  await cell('Olinda').waitFor({ state: 'detached' });
  await page.getByText('Rows: 1', { exact: true }).waitFor();
  await page.getByPlaceholder('Search in all values').fill('belém');
  await page.getByText('Nothing found').waitFor();
  await call('POST', rows, { data: { city: 'Belém' } });
  await page.getByRole('button', { name: 'Load new entries' }).click();
  await cell('Belém').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a column with values is removed after somebody has said that its values may go', async () => {
  const columns = ['street', 'phone'].map((name) => ({ key: name, title: name, type: 'TEXT' }));
  const table = await call('POST', '/v1/tables', { name: 'Branches', columns });
  await call('POST', `/v1/tables/${table._id}/rows`, { data: { street: 'Rua A', phone: '41 3000' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/tables/${table._id}` });
  await page.getByRole('gridcell', { name: '41 3000' }).waitFor();
  await page.getByRole('button', { name: 'Columns and name' }).click();
  const form = findDialog(page);
  await form.getByRole('button', { name: 'Remove phone' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByLabel('Remove these columns with all their values: phone').check();
  await form.getByRole('button', { name: 'Save' }).click();
  // A screen reader, and so this test, hears nothing of the page while a dialog is open.
  await form.waitFor({ state: 'detached' });
  await page.getByRole('columnheader', { name: 'phone' }).waitFor({ state: 'detached' });
  assert.deepEqual((await listRows(table))[0]?.data, { street: 'Rua A' });
  assert.deepEqual(
    complaints().filter((text) => !/status of 409/.test(text)),
    [],
  );
  await close();
});

test('the rows of a sheet come into a table whose columns have other titles, those that do not fit are named, and a filter shows some of them', async () => {
  const columns = [
    { key: 'item', title: 'Item', type: 'TEXT' },
    { key: 'price', title: 'Price', type: 'NUMBER' },
  ];
  const table = await call('POST', '/v1/tables', { name: 'Prices', columns });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/tables/${table._id}` });
  await page.getByText('No rows yet').waitFor();
  await page.getByRole('button', { name: 'Import' }).click();
  const buffer = Buffer.from('item,valor\nPão,2.5\nBolo,caro\nBroa,7\n');
  await page.getByLabel('Sheet').setInputFiles({ name: 'precos.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel('Field for valor').selectOption('Price');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Start the import' }).click();
  await page.getByText('3 of 3 rows').waitFor();
  await page.getByRole('row', { name: /3 Price caro must be a number/ }).waitFor();
  await page.getByRole('link', { name: 'Go to the rows' }).click();
  await page.getByText('Rows: 2').waitFor();
  assert.deepEqual(
    (await listRows(table)).map(({ data }) => data),
    [
      { item: 'Pão', price: 2.5 },
      { item: 'Broa', price: 7 },
    ],
  );
  await page.getByRole('button', { name: 'Add a filter' }).click();
  const filter = findDialog(page);
  await filter.getByLabel('Field').selectOption({ label: 'Price' });
  await filter.getByLabel('Condition').selectOption({ label: 'is more than' });
  await filter.getByLabel('Value').fill('5');
  await filter.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Price is more than 5', exact: true }).waitFor();
  await page.getByRole('gridcell', { name: 'Pão' }).waitFor({ state: 'detached' });
  await page.getByRole('gridcell', { name: 'Broa' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the rows of an import appear in the order of the sheet, also where the table was open before', async () => {
  const table = await call('POST', '/v1/tables', { name: 'Long', columns: [{ key: 'item', type: 'TEXT' }] });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/tables/${table._id}` });
  await page.getByText('No rows yet').waitFor();
  const open = await page.context().newPage();
  await open.goto(page.url());
  await open.getByText('No rows yet').waitFor();
  const names = Array.from({ length: 12 }, (_, index) => `Row ${index + 1}`);
  await page.getByRole('button', { name: 'Import' }).click();
  const buffer = Buffer.from(['item', ...names].join('\n'));
  await page.getByLabel('Sheet').setInputFiles({ name: 'long.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Start the import' }).click();
  await page.getByText('12 of 12 rows').waitFor();
  await page.getByRole('link', { name: 'Go to the rows' }).click();
  for (const each of [page, open]) {
    await each.getByRole('gridcell', { name: 'Row 1', exact: true }).waitFor();
    await each.getByRole('gridcell', { name: 'Row 12' }).waitFor();
    assert.deepEqual(await each.getByRole('gridcell').allInnerTexts(), names);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

/** Brings rows of the stream to the page last one first, as soon as there are so many. */
const turnRows = (count: number): string => `
  const { fetch } = globalThis;
  globalThis.fetch = async (request) => {
    const answer = await fetch(request);
    if (!request.url.includes('/v1/live')) return answer;
    const [rows, decoder, encoder] = [[], new TextDecoder(), new TextEncoder()];
    let text = '';
    const turn = new TransformStream({
      transform(bytes, controller) {
        const blocks = (text + decoder.decode(bytes, { stream: true })).split('\\n\\n');
        text = blocks.pop();
        for (const block of blocks) {
          const isRow = block.includes('event: table_row');
          if (isRow) rows.push(block);
          const ready = isRow ? (rows.length < ${count} ? [] : rows.splice(0).reverse()) : [block];
          for (const each of ready) controller.enqueue(encoder.encode(each + '\\n\\n'));
        }
      },
    });
    return new Response(answer.body.pipeThrough(turn), answer);
  };`;

test('rows that arrive in another order appear at their place', async () => {
  const table = await call('POST', '/v1/tables', { name: 'Turned', columns: [{ key: 'item', type: 'TEXT' }] });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/tables' });
  await page.context().addInitScript(turnRows(3));
  await page.goto(`${platform.url}/console/tables/${table._id}`);
  await page.getByText('No rows yet').waitFor();
  for (const item of ['One', 'Two', 'Three']) await call('POST', `/v1/tables/${table._id}/rows`, { data: { item } });
  await page.getByRole('gridcell').nth(2).waitFor();
  assert.deepEqual(await page.getByRole('gridcell').allInnerTexts(), ['One', 'Two', 'Three']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('who may only read sees the rows without anything that changes them', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { role: 'VIEWER', path: '/tables' });
  await page.getByRole('row', { name: /Branches/ }).click();
  const cell = page.getByRole('gridcell', { name: 'Rua A' });
  await cell.click();
  await press(page, 'Enter', 'x', 'Delete');
  assert.equal(await cell.innerText(), 'Rua A');
  assert.equal(await page.getByRole('main').getByRole('textbox').count(), 0);
  assert.deepEqual(await page.getByRole('main').getByRole('button').allInnerTexts(), ['Export', 'Add a filter', '']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('by keyboard a row is linked to a contact, which its number shows, and is unlinked', async () => {
  const body = { name: 'Orders', columns: [{ key: 'product', type: 'TEXT' }] };
  const table = await call('POST', '/v1/tables', body);
  await call('POST', `/v1/tables/${table._id}/rows`, { data: { product: 'Carrot cake' } });
  const contact = await call('POST', '/v1/contacts', { name: 'Lia Lima', phone_number: '+5511988887001' });
  await call('POST', '/v1/contacts', { name: 'Zoe Zanetti' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/tables/${table._id}` });
  const openMenu = async (): Promise<void> => {
    await page.getByRole('gridcell').first().focus();
    await press(page, 'Home', 'ArrowLeft', 'Enter');
  };
  await openMenu();
  await page.getByRole('menuitem', { name: 'Link to a contact…' }).press('Enter');
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: 'Zoe Zanetti' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('searchbox').fill('Lia');
  // Enter comes before the search has begun.
  await dialog.getByRole('searchbox').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await listRows(table))[0]?.contact_id, contact._id);
  await openMenu();
  await page.getByRole('menu').getByText('Lia Lima').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('menuitem', { name: 'Unlink from the contact' }).press('Enter');
  await waitUntil('the row to be free', async () => (await listRows(table))[0]?.contact_id === undefined);
  assert.deepEqual(complaints(), []);
  await close();
});
