/** The journeys of people who work on contacts in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findDialog, holdAnswers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { makeWorkbook, makeWorkbookParts, makeZip, type TestCell } from '../support/sheets.ts';

const platform = await startPlatform();
const { call } = platform;

const create = async (body: Json): Promise<Json> => (await call(201, 'POST', '/v1/contacts', { body })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/contacts/${id}`)).body;
const define = (slug: string, title: string, more: Json): Promise<Json> =>
  call(201, 'POST', '/v1/custom-fields', { body: { slug, title, context: 'contact', ...more } });

await define('city', 'City', { type: 'TEXT' });
await define('plan', 'Plan', { type: 'SELECT', options: ['Basic', 'Gold'] });
const maria = await create({ name: 'Maria Silva', phone_number: '+5511980000001', custom_fields: { city: 'Recife' } });
await create({ name: 'Maria Souza', email: 'souza@example.com', custom_fields: { city: 'Olinda' } });
await create({ name: 'Rui Costa', email: 'rui@example.com', custom_fields: { city: 'Recife' } });

const browser = await startBrowser();
const { page, complaints } = await openConsole(platform, browser, { path: '/contacts' });
const open = (path: string): Promise<unknown> => page.goto(`${platform.url}/console/contacts${path}`);
const rows = page.getByRole('rowgroup').getByRole('row');

describe('the list of contacts', () => {
  test('a new contact appears by itself, and a filtered list offers to be read again', async () => {
    await rows.nth(2).waitFor();
    await create({ name: 'Nina Neves', custom_fields: { city: 'Recife' } });
    await rows.first().getByText('Nina Neves').waitFor();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByLabel('Field').selectOption({ label: 'City' });
    await page.getByLabel('Condition').selectOption({ label: 'is' });
    await page.getByLabel('Value').fill('Recife');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'City is Recife', exact: true }).waitFor();
    await page.getByText('Maria Souza').waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Rui Costa' }).waitFor();
    await create({ name: 'Olga Prado', custom_fields: { city: 'Recife' } });
    await page.getByRole('button', { name: 'Load new entries' }).click();
    await rows.first().getByText('Olga Prado').waitFor();
    await page.getByRole('searchbox').fill('maria');
    await page.getByText('Rui Costa').waitFor({ state: 'detached' });
    await rows.first().getByText('Maria Silva').waitFor();
    assert.equal(await rows.count(), 1);
  });

  test('what is filtered is exported as a sheet, and the filter stays when somebody comes back from a contact', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const sheet = await readFile(await (await download).path(), 'utf8');
    assert.match(sheet, /Maria Silva/);
    assert.doesNotMatch(sheet, /Maria Souza|Rui Costa/);
    await rows.first().click();
    await page.getByRole('heading', { name: 'Maria Silva' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'City is Recife', exact: true }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'maria');
  });

  test("all data of a contact is downloaded as one file, with the team's notes only when asked for", async () => {
    await open(`/${maria._id}`);
    for (const [name, hasNotes] of [
      ['All data', false],
      ["All data with the team's notes", true],
    ] as const) {
      await page.getByRole('button', { name: 'Download data' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name, exact: true }).click();
      const saved = await download;
      assert.equal(saved.suggestedFilename(), `contact-${maria._id}.zip`);
      const listed = (await readFile(await saved.path())).toString('latin1');
      assert.ok(listed.includes('contact.json'));
      assert.equal(listed.includes('notes.json'), hasNotes);
    }
  });
});

test('contacts are filtered by the country of their number, which is chosen by its name and is not the field “Country” of the company', async () => {
  await define('country', 'Country', { type: 'TEXT' });
  const { page: other, close } = await openConsole(platform, browser, { path: '/contacts' });
  await other.getByRole('button', { name: 'Add a filter' }).click();
  const field = findDialog(other).getByLabel('Field');
  const offered = await field.getByRole('option', { name: /Country/ }).allTextContents();
  assert.deepEqual(offered.toSorted(), ['Country', 'Country of the number']);
  await field.selectOption({ label: 'Country of the number' });
  await findDialog(other).getByLabel('Value').selectOption({ label: 'Brazil' });
  await findDialog(other).getByRole('button', { name: 'Apply' }).click();
  await other.getByRole('button', { name: 'Country of the number is Brazil', exact: true }).waitFor();
  await other.getByText('Maria Souza').waitFor({ state: 'detached' });
  await other.getByText('Maria Silva').waitFor();
  await close();
});

describe('a contact', () => {
  test('it is created, and a phone number that another contact has leads there', async () => {
    await open('');
    await page.getByRole('button', { name: 'New contact' }).click();
    const dialog = findDialog(page);
    await dialog.getByLabel('Name').fill('Paula Reis');
    await dialog.getByLabel('Phone number').fill('+55 11 98000-0001');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('link', { name: 'Go to the contact that has it' }).waitFor();
    await dialog.getByLabel('Phone number').fill('11 98000-0002');
    await dialog.getByLabel('Country of the number').fill('br');
    await dialog.getByLabel('Tags').fill('vip, new');
    await dialog.getByLabel('Plan').selectOption('Gold');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Paula Reis' }).waitFor();
    const { result } = (await call(200, 'GET', '/v1/contacts?search=Paula')).body;
    assert.equal(result[0].phone_number, '+5511980000002');
    assert.deepEqual(result[0].tags, ['vip', 'new']);
    assert.equal(result[0].custom_fields[0].value, 'Gold');
  });

  test('a change keeps what somebody else has changed meanwhile, and a message shows as a conversation that leads into the inbox', async () => {
    await open(`/${maria._id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await call(200, 'PATCH', `/v1/contacts/${maria._id}`, { body: { tags: ['meanwhile'] } });
    await findDialog(page).getByLabel('City').fill('São Paulo');
    await findDialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('São Paulo').waitFor();
    assert.deepEqual((await read(maria._id)).tags, ['meanwhile']);
    await platform.receive({ from: '5511980000001', name: 'Maria Silva', text: 'Bom dia!' });
    await page.getByRole('link', { name: /Bom dia!/ }).click();
    await page.getByRole('log').getByText('Bom dia!').waitFor();
  });

  test('a number is typed with a comma or a point before its fraction in every language, and stays what it is', async () => {
    const { body: field } = await call(201, 'POST', '/v1/custom-fields', {
      body: { title: 'Desconto', slug: 'discount', context: 'contact', type: 'NUMBER' },
    });
    const readDiscount = async (): Promise<unknown> =>
      (await read(maria._id)).custom_fields.find(({ _id }: Json) => _id === field._id)?.value;
    for (const [language, typed, value, edit, save] of [
      ['en', '0,90', 0.9, 'Edit', 'Save'],
      ['pt-BR', '0.125', 0.125, 'Editar', 'Salvar'],
      ['es', '1.5', 1.5, 'Editar', 'Guardar'],
    ] as const) {
      const other = await openConsole(platform, browser, { path: `/contacts/${maria._id}`, language });
      await other.page.getByRole('button', { name: edit, exact: true }).click();
      const dialog = findDialog(other.page);
      await dialog.getByLabel('Desconto').fill(typed);
      assert.equal(await dialog.getByLabel('Desconto').inputValue(), typed);
      await dialog.getByRole('button', { name: save }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await readDiscount(), value, language);
      await other.close();
    }
    await call(200, 'DELETE', `/v1/custom-fields/${field._id}`);
  });

  test('two contacts are merged after a look at what stays, and a contact is removed after a second press', async () => {
    const twin = await create({ name: 'M. Silva', email: 'maria@example.com' });
    await open(`/${maria._id}`);
    await page.getByRole('button', { name: 'Merge' }).click();
    const dialog = findDialog(page);
    const souza = dialog.getByRole('button', { name: /Maria Souza/ });
    await souza.waitFor();
    const search = await holdAnswers(page, 'search=');
    await dialog.getByRole('searchbox').fill('M. Silva');
    await search.answered();
    assert.ok(
      await souza.isVisible(),
      'the contacts of the first search vanished before those of the second were there',
    );
    await search.release();
    await dialog.getByRole('button', { name: /M. Silva/ }).click();
    await dialog
      .getByRole('row', { name: /E-mail.*maria@example.com/ })
      .getByRole('img', { name: 'Kept' })
      .waitFor();
    await dialog.getByRole('button', { name: 'Merge' }).click();
    assert.equal((await read(twin._id)).name, 'M. Silva');
    await dialog.getByRole('button', { name: 'Yes, merge' }).click();
    await page.getByText('Contacts merged').waitFor();
    await page.getByText('maria@example.com').waitFor();
    await call(404, 'GET', `/v1/contacts/${twin._id}`);
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Yes, remove' }).click();
    await page.getByText('Contact removed').waitFor();
    await call(404, 'GET', `/v1/contacts/${maria._id}`);
  });
});

describe('an import', () => {
  test('a sheet of contacts is imported with a corrected mapping, those stored without a value are counted, and the failed ones are saved as a sheet', async () => {
    await open('/import');
    const lines = [
      'Cliente;Celular;City;Nota;Email',
      'Alice;+5511970000001;Rio;x;',
      '"Bob; Jr";12;Rio;y;',
      'Dalva;12;Rio;z;dalva@example.com',
    ];
    await page.getByLabel('Sheet', { exact: true }).setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\r\n')),
    });
    assert.equal(await page.getByLabel('Field for Celular').inputValue(), 'phone_number');
    assert.equal(await page.getByLabel('Field for City').inputValue(), 'custom_fields.city');
    await page.getByText('Alice · Bob; Jr').waitFor();
    await page.getByLabel('Field for Cliente').selectOption({ label: 'Name' });
    await page.getByRole('button', { name: 'Start the import' }).click();
    await page.getByText('3 of 3 rows').waitFor();
    await page.getByText('Rows with errors').waitFor();
    const counts = page.getByRole('definition');
    await page.getByRole('term').filter({ hasText: 'Stored without a value' }).waitFor();
    assert.deepEqual((await counts.allInnerTexts()).slice(0, 4), ['2', '0', '1', '1']);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save all as a sheet' }).click();
    assert.match(await readFile(await (await download).path(), 'utf8'), /2,phone_number/);
    const { result } = (await call(200, 'GET', '/v1/contacts?search=Alice')).body;
    assert.equal(result[0].phone_number, '+5511970000001');
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('row', { name: /people.csv.*Done with errors/ }).waitFor();
    await page.getByLabel('Sheet', { exact: true }).setInputFiles({
      name: 'broken.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Celular\n12'),
    });
    await page.getByRole('button', { name: 'Start the import' }).click();
    await page.getByText('All rows failed').waitFor();
    await page.getByRole('row', { name: /^2 Phone number 12 is not/ }).waitFor();
  });

  test('the first phone numbers of a sheet are shown as they will be stored, and change with the country', async () => {
    await open('/import');
    await page.getByLabel('Sheet', { exact: true }).setInputFiles({
      name: 'recife.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Nome,Telefone\nRosa,81980067952\nRui,+351 912 345 678\nNobody,12'),
    });
    const country = page.getByLabel('Country of numbers without + or 00');
    await country.and(page.locator('[value=BR]')).waitFor();
    const numbers = page.getByRole('region', { name: 'Phone numbers as they will be stored' }).getByRole('listitem');
    const readNumbers = async (first: string): Promise<string[]> => {
      await numbers.filter({ hasText: first }).waitFor();
      return numbers.allTextContents();
    };
    const [, ...others] = await readNumbers('81980067952 → +5581980067952 · BR');
    assert.deepEqual(others, [
      '+351 912 345 678 → +351912345678 · PT',
      '12 → is not a phone number: write it as +55 11 91234-5678',
    ]);
    await country.fill('jp');
    await readNumbers('81980067952 → +81980067952 · JP');
    await country.fill('XX');
    await page.getByText('is not the code of a country').waitFor();
    await page.getByLabel('Field for Telefone').selectOption({ label: 'Skipped' });
    await numbers.first().waitFor({ state: 'detached' });
  });

  test('without a country the import of a number without + cannot start before one is chosen', async () => {
    await call(200, 'PATCH', `/v1/companies/${platform.demo._id}`, { body: { general_config: { country: null } } });
    await page.reload();
    await open('/import');
    await page.getByLabel('Sheet', { exact: true }).setInputFiles({
      name: 'recife.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Nome,Telefone\nRosa,81980067953'),
    });
    await page.getByText('81980067953 → No country code, and no country is chosen').waitFor();
    const start = page.getByRole('button', { name: 'Start the import' });
    await page.getByText('Choose the country of the phone numbers').waitFor();
    assert.ok(await start.isDisabled());
    await page.getByLabel('Country of numbers without + or 00').fill('BR');
    await page.getByText('81980067953 → +5581980067953 · BR').waitFor();
    await start.click();
    await page.getByText('1 of 1 rows').waitFor();
    const { result } = (await call(200, 'GET', '/v1/contacts?search=81980067953')).body;
    assert.equal(result[0].phone_number, '+5581980067953');
    await call(200, 'PATCH', `/v1/companies/${platform.demo._id}`, { body: { general_config: { country: 'BR' } } });
  });

  test('a column of a sheet in Windows-1252 becomes a new field, all its contacts get a tag, and a column that identifies them is asked for', async () => {
    await open('/import');
    const lines = ['sep=;', 'First Name;Last Name;Profissão;E-mail 1 - Value', 'Ação;Lima;Médica;acao@example.com'];
    await page.getByLabel('Sheet', { exact: true }).setInputFiles({
      name: 'latin.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\r\n'), 'latin1'),
    });
    await page.getByText('Ação').waitFor();
    assert.equal(await page.getByLabel('Field for First Name').inputValue(), 'given_name');
    const mail = page.getByLabel('Field for E-mail 1 - Value');
    await mail.selectOption({ label: 'Skipped' });
    await page.getByText('Without one, each import creates new contacts').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Start the import' }).isDisabled());
    await mail.selectOption({ label: 'E-mail' });
    await page.getByLabel('Field for Profissão').selectOption({ label: 'New field…' });
    await findDialog(page).getByRole('button', { name: 'Create' }).click();
    await page
      .getByLabel('Field for Profissão')
      .and(page.locator('select'))
      .locator('option:checked', { hasText: 'Profissão' })
      .waitFor({ state: 'attached' });
    await page.getByLabel('Tag for all contacts').fill('Feira');
    await page.getByRole('button', { name: 'Start the import' }).click();
    await page.getByText('1 of 1 rows').waitFor();
    const { result } = (await call(200, 'GET', '/v1/contacts?search=acao@example.com')).body;
    assert.deepEqual([result[0].name, result[0].tags], ['Ação Lima', ['Feira']]);
    assert.equal(result[0].custom_fields.find(({ title }: Json) => title === 'Profissão').value, 'Médica');
  });

  test('a sheet can be chosen once the fields of the company are known, and the columns of a workbook are shown', async () => {
    const fields = Promise.withResolvers<void>();
    await page.route('**/v1/custom-fields?*', async (route) => {
      await fields.promise;
      await route.continue();
    });
    await open('/import');
    await page.getByRole('heading', { name: 'Earlier imports' }).waitFor();
    assert.equal(await page.getByLabel('Sheet', { exact: true }).count(), 0);
    fields.resolve();
    await page.getByLabel('Sheet', { exact: true }).setInputFiles({
      name: 'people.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: Buffer.from(
        makeWorkbook([
          ['Nome', 'E-mail', 'Plan'],
          ['Carla', 'carla@example.com', 'Gold'],
        ]),
      ),
    });
    await page.getByText('carla@example.com').waitFor();
    assert.equal(await page.getByLabel('Field for Nome').inputValue(), 'name');
    await page.getByRole('button', { name: 'Start the import' }).click();
    await page.getByText('1 of 1 rows').waitFor();
    const { result } = (await call(200, 'GET', '/v1/contacts?search=Carla')).body;
    assert.equal(result[0].custom_fields[0].value, 'Gold');
  });

  test('the columns of a workbook without shared texts, and of one that is cut off, are shown within the content policy of the page', async () => {
    await open('/import');
    const inline = (text: string): TestCell => ({
      xml: (reference) => `<c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c>`,
    });
    for (const [name, text, end] of [
      ['whole.xlsx', 'Dora', ''],
      ['cut.xlsx', 'Elza', '<row r="3"><c r="A3"'],
    ] as const) {
      const parts = makeWorkbookParts([[inline('Nome')], [inline(text)]])
        .filter(({ path }) => path !== 'xl/sharedStrings.xml')
        .map((part) => ({
          ...part,
          data: end ? String(part.data).replace('</sheetData></worksheet>', end) : part.data,
        }));
      await page.getByLabel('Sheet', { exact: true }).setInputFiles({
        name,
        mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        buffer: Buffer.from(makeZip(parts)),
      });
      await page.getByRole('cell', { name: text }).waitFor();
    }
    assert.deepEqual(
      complaints().filter((words) => words.includes('Content Security Policy')),
      [],
    );
  });
});

test('the browser has complained about nothing', () => {
  assert.deepEqual(
    // The browser notes each refusal.
    complaints().filter((text) => !/status of 40[09]/.test(text)),
    [],
  );
});
