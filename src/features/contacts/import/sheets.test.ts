/** Sheets as people have them: exports of address books, cells that are partly wrong, and what the errors of a row tell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { importSheet, postForm, type FormParts } from '../../../../test/support/sheets.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call } = platform;
const PATH = '/v1/contacts/import';
const csv = (...lines: string[]): { name: string; data: string } => ({ name: 'people.csv', data: lines.join('\r\n') });
const run = (parts: FormParts): Promise<Json> => importSheet(platform, PATH, parts);
const findOne = async (search: string): Promise<Json> =>
  (await call(200, 'GET', `/v1/contacts?search=${encodeURIComponent(search)}`)).body.result[0];

test('the address books that Google and Outlook export are read by their own titles', async () => {
  const [mark, phone, second] = [newId(), makePhoneNumber(), makePhoneNumber()];
  await call(201, 'POST', '/v1/custom-fields', { body: { title: 'Empresa', context: 'contact', type: 'TEXT' } });
  const google = await run({
    file: csv(
      'First Name,Middle Name,Last Name,Organization Name,Labels,E-mail 1 - Value,Phone 1 - Value,Phone 2 - Value',
      `Ana,Maria,Lima,Padaria,* myContacts ::: Clientes,ana-${mark}@example.com ::: a2-${mark}@example.com,12 ::: +${phone},+${second}`,
    ),
  });
  assert.deepEqual(google.row_errors, []);
  const ana = await findOne(`ana-${mark}`);
  assert.deepEqual([ana.name, ana.phone_number, ana.tags], ['Ana Maria Lima', `+${phone}`, ['Clientes']]);
  assert.equal(ana.custom_fields.find(({ title }: Json) => title === 'Empresa').value, 'Padaria');
  const titles = {
    en: 'First Name,Last Name,E-mail Address,Mobile Phone,Company',
    pt: 'Nome,Sobrenome,Endereço de Email,Telefone celular,Empresa',
    es: 'Nombre,Apellidos,Dirección de correo electrónico,Teléfono móvil,Compañía',
  };
  for (const [language, title] of Object.entries(titles)) {
    const mail = `${language}-${mark}@example.com`;
    const done = await run({ file: csv(title, `João,Silva,${mail},+${makePhoneNumber()},Acme`) });
    assert.deepEqual([done.created_count, done.row_errors], [1, []], language);
    const contact = await findOne(mail);
    assert.deepEqual([contact.name, contact.custom_fields.length], ['João Silva', 1], language);
  }
});

test('a sheet without a column that says who a row is about is refused', async () => {
  const { body } = await postForm(platform, [400, PATH], { file: csv('name,city', 'Ana,Natal') });
  assert.equal(body.errors[0].path, 'file');
  assert.match(body.errors[0].message, /_id, phone_number, email/);
  const mapping = '{"A":"name"}';
  const mapped = await postForm(platform, [400, PATH], { file: csv('A,email', 'Ana,a@example.com'), mapping });
  assert.equal(mapped.body.errors[0].path, 'mapping');
});

test('an error of a row tells the refused value, and the number by which a spreadsheet program shows the row', async () => {
  const done = await run({
    file: csv('sep=;', 'name;email;external_id', '"Ana\nMaria";;a', ';;', `Bia;nobody;`, `Eva;${'x'.repeat(300)};`),
  });
  assert.deepEqual(
    done.row_errors.map(({ row, line, field, value, stored }: Json) => [row, line, field, value, stored]),
    [
      [3, 4, 'email', 'nobody', false],
      [4, 5, 'email', 'x'.repeat(100), false],
    ],
  );
  const { body } = await call(200, 'GET', `${PATH}/${done._id}/errors`);
  assert.deepEqual(body.split('\r\n').slice(0, 2), [
    'row,field,message,line,value,stored',
    '3,email,is not an e-mail address,4,nobody,false',
  ]);
});

test('a wrong e-mail does not keep the row of a good phone number from being stored, nor the other way round', async () => {
  const [mark, phone] = [newId(), makePhoneNumber()];
  const done = await run({
    file: csv('name,email,phone', `A ${mark},nobody,+${phone}`, `B ${mark},b-${mark}@example.com,12`, `C,nobody,12`),
  });
  assert.deepEqual([done.created_count, done.failed_count], [2, 1]);
  assert.deepEqual(done.row_errors.map(({ row, field, stored }: Json) => `${row} ${field} ${stored}`).toSorted(), [
    '1 email true',
    '2 phone_number true',
    '3 email false',
    '3 phone_number false',
  ]);
  const [a, b] = [await findOne(`A ${mark}`), await findOne(`B ${mark}`)];
  assert.deepEqual([a.email, a.phone_number], [null, `+${phone}`]);
  assert.deepEqual([b.email, b.phone_number], [`b-${mark}@example.com`, null]);
});

test('all contacts of an import get its tag besides their own', async () => {
  const mark = newId();
  const { body: known } = await call(201, 'POST', '/v1/contacts', { body: { external_id: mark, tags: ['vip'] } });
  const mail = `new-${mark}@example.com`;
  const file = csv('external_id,email,tags', `${mark},,`, `,${mail},club`);
  const done = await run({ file, tag: 'Feira' });
  assert.deepEqual([done.tag, done.failed_count], ['Feira', 0]);
  assert.deepEqual((await call(200, 'GET', `/v1/contacts/${known._id}`)).body.tags, ['vip', 'Feira']);
  assert.deepEqual((await findOne(mail)).tags, ['club', 'Feira']);
  const { body } = await postForm(platform, [400, PATH], { file, tag: ' x' });
  assert.equal(body.errors[0].path, 'tag');
});
