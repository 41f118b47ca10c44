import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkParameters, composeTemplate } from './compose.ts';
import type { GivenComponent } from './given.ts';
import { hasVariables, resolveVariables, type Recipient } from './variables.ts';

const ana: Recipient = {
  contact: {
    name: 'Ana Souza Lima',
    email: 'ana@example.com',
    phone_number: '+5511988887777',
    country_code: 'BR',
    professional_network_identifier: null,
    external_id: '',
    language: null,
    custom_fields: [
      { slug: 'plan', value: 'Gold' },
      { slug: 'due', value: 19.9 },
      { slug: 'products', value: ['Pão', 'Bolo'] },
      { slug: 'notes', value: '' },
      { slug: 'city', value: 'Olinda' },
    ],
  },
  columns: { Pedido: '4821', ' Cidade ': 'Recife', city: 'Natal', vazio: '  ' },
};

const asked = (...variables: string[]): GivenComponent[] => [
  { parameters: variables.map((variable_ref) => ({ variable_ref })) },
];

/** The values that the variables have for Ana. */
function valuesOf(...variables: string[]): unknown[] {
  const { values, missing } = resolveVariables(asked(...variables), ana);
  assert.deepEqual(missing, []);
  return values[0]?.parameters.map(({ value }) => value) ?? [];
}

test('a variable names a field of the contact, a custom field by its slug, or a column of the sheet by its title', () => {
  assert.deepEqual(
    valuesOf('contact.name', 'contact.first_name', 'contact.email', 'contact.phone_number', 'contact.country_code'),
    ['Ana Souza Lima', 'Ana', 'ana@example.com', '+5511988887777', 'BR'],
  );
  assert.deepEqual(valuesOf('custom_fields.plan', 'contact.custom_fields.due', 'custom_fields.products'), [
    'Gold',
    '19.9',
    'Pão, Bolo',
  ]);
  assert.deepEqual(valuesOf('column.pedido', 'column.CIDADE'), ['4821', 'Recife']);
});

test('tabs, line breaks and more than four spaces in a row of a value become one space, and up to four spaces stay', () => {
  const cell = '\n Rua A,\r\n 12    fundos \t casa     2\u2028 ';
  const { values } = resolveVariables(asked('column.address'), { contact: null, columns: { address: cell } });
  assert.equal(values[0]?.parameters[0]?.value, 'Rua A, 12    fundos casa 2');
});

test('a variable without a prefix means a column of the sheet, or else a field of the contact, or else a custom field', () => {
  assert.deepEqual(valuesOf('city', 'name', 'plan'), ['Natal', 'Ana Souza Lima', 'Gold']);
});

test('a variable that is unknown or has no value is reported with its place, and is never sent as an empty text', () => {
  const names = [
    'contact.external_id',
    'custom_fields.notes',
    'column.vazio',
    'nothing',
    'contact.constructor',
    'column.toString',
  ];
  const { missing } = resolveVariables(asked('contact.name', ...names), ana);
  assert.deepEqual(
    missing,
    names.map((variable, place) => ({ path: `[0].parameters[${place + 1}].variable_ref`, variable })),
  );
  assert.equal(resolveVariables(asked('contact.name'), { contact: null }).missing.length, 1);
});

test('the text that is given together with a variable is sent when the recipient has no value', () => {
  const given: GivenComponent[] = [
    {
      parameters: [
        { variable_ref: 'custom_fields.notes', text: 'cliente' },
        { variable_ref: 'contact.first_name', text: 'cliente' },
      ],
    },
  ];
  const { values, missing } = resolveVariables(given, ana);
  assert.deepEqual(missing, []);
  assert.deepEqual(values[0]?.parameters, [{ value: 'cliente' }, { value: 'Ana' }]);
});

test('resolved parameters do not change when they are resolved again for another recipient', () => {
  const { values } = resolveVariables(asked('contact.name'), ana);
  assert.deepEqual(resolveVariables(JSON.parse(JSON.stringify(values)), { contact: null }), { values, missing: [] });
  assert.equal(hasVariables(asked('contact.name')), true);
  assert.equal(hasVariables(values), false);
});

test('a variable can fill an amount, a URL, the end of a URL, a code and the end of an offer', () => {
  const template = {
    name: 'a',
    language: 'en_US',
    parameterFormat: 'POSITIONAL' as const,
    components: [
      { type: 'HEADER', format: 'DOCUMENT' },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } },
      { type: 'BODY', text: 'You owe {{1}}.' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Pay', url: 'https://pay.example/{{1}}' },
          { type: 'COPY_CODE', text: 'Copy' },
        ],
      },
    ],
  };
  const given: GivenComponent[] = [
    { type: 'header', parameters: [{ variable_ref: 'column.bill', documentFilename: 'bill.pdf' }] },
    { type: 'limited_time_offer', parameters: [{ variable_ref: 'column.end' }] },
    { parameters: [{ variable_ref: 'column.sum', currencyCode: 'USD' }] },
    { index: 0, parameters: [{ variable_ref: 'column.order' }] },
    { index: 1, parameters: [{ variable_ref: 'column.code' }] },
  ];
  assert.deepEqual(checkParameters(template, given), []);
  const columns = {
    bill: 'https://x.example/1.pdf',
    end: '2099-01-01T00:00:00Z',
    sum: '100.99',
    order: 'o1',
    code: 'A1',
  };
  const { values } = resolveVariables(given, { contact: null, columns });
  const composed = composeTemplate(template, values);
  assert.ok('content' in composed);
  assert.equal(composed.content, 'Now\n\nYou owe $100.99.\n\n[Pay]\n[Copy: A1]');
  for (const [column, cell] of [
    ['bill', 'my bill'],
    ['end', 'soon'],
    ['sum', '1,5'],
    ['code', 'a-1'],
  ] as const) {
    const resolved = resolveVariables(given, { contact: null, columns: { ...columns, [column]: cell } });
    assert.ok('faults' in composeTemplate(template, resolved.values), column);
  }
});

test('a parameter with a variable may also have a text or a value, and nothing else', () => {
  const template = {
    name: 'a',
    language: 'en_US',
    parameterFormat: 'POSITIONAL' as const,
    components: [{ type: 'BODY', text: 'Hi {{1}}.' }],
  };
  const faults = checkParameters(template, [{ parameters: [{ variable_ref: 'name', dateTime: 'today' }] }]);
  assert.deepEqual(
    faults.map(({ path }) => path),
    ['[0].parameters[0].dateTime'],
  );
});
