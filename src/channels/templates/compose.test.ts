import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkParameters, composeTemplate, type ApprovedTemplate, type FilledTemplate } from './compose.ts';
import type { Fault, GivenComponent } from './given.ts';
import { readShape } from './shape.ts';

const make = (components: Record<string, unknown>[], over: Partial<ApprovedTemplate> = {}): ApprovedTemplate => ({
  name: 'a_template',
  language: 'pt_BR',
  parameterFormat: 'POSITIONAL',
  components,
  ...over,
});

const body = (text: string) => ({ type: 'BODY', text });
const buttons = (...list: Record<string, unknown>[]) => ({ type: 'BUTTONS', buttons: list });
const given = (...parameters: GivenComponent['parameters']): GivenComponent[] => [{ parameters }];

function compose(template: ApprovedTemplate, components: GivenComponent[], timeZone?: string): FilledTemplate {
  const composed = composeTemplate(template, components, timeZone);
  assert.ok('content' in composed, JSON.stringify(composed));
  assert.deepEqual(checkParameters(template, components), []);
  return composed;
}

function refuse(template: ApprovedTemplate, components: GivenComponent[]): Fault[] {
  const composed = composeTemplate(template, components);
  assert.ok('faults' in composed, JSON.stringify(composed));
  return composed.faults;
}

const places = (faults: Fault[]): string[] => faults.map(({ path, code }) => `${path} ${code}`);

describe('a filled template', () => {
  test('the text of a filled template has its header, body, footer and buttons in the order in which the contact sees them', () => {
    const template = make([
      buttons(
        { type: 'QUICK_REPLY', text: 'Quero ver' },
        { type: 'URL', text: 'Abrir loja', url: 'https://example.com/loja/{{1}}' },
        { type: 'COPY_CODE', text: 'Copiar código' },
        { type: 'PHONE_NUMBER', text: 'Ligar', phone_number: '5511' },
      ),
      { type: 'FOOTER', text: 'Responda SAIR' },
      body('{{1}}, o verão chegou: {{2}} de desconto.'),
      { type: 'HEADER', format: 'TEXT', text: 'Só hoje, {{1}}!' },
    ]);
    const { content, components } = compose(template, [
      { type: 'header', parameters: [{ text: 'Ana' }] },
      { type: 'body', parameters: [{ text: 'Ana' }, { text: '25%' }] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ payload: 'SHOW' }] },
      { index: 1, parameters: [{ text: 'verao' }] },
      { type: 'button', index: '2', parameters: [{ value: 'VERAO25' }] },
    ]);
    assert.equal(
      content,
      'Só hoje, Ana!\n\nAna, o verão chegou: 25% de desconto.\n\nResponda SAIR\n\n[Quero ver]\n[Abrir loja]\n[Copiar código: VERAO25]\n[Ligar]',
    );
    assert.deepEqual(components, [
      { type: 'header', parameters: [{ type: 'text', text: 'Ana' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ana' },
          { type: 'text', text: '25%' },
        ],
      },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'SHOW' }] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'verao' }] },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '2',
        parameters: [{ type: 'coupon_code', coupon_code: 'VERAO25' }],
      },
    ]);
  });

  test('a template without variables is sent without components, and a quick-reply button needs no payload', () => {
    const template = make([body('Olá!'), buttons({ type: 'QUICK_REPLY', text: 'Oi' })]);
    assert.deepEqual(compose(template, []), { content: 'Olá!\n\n[Oi]', components: [] });
    assert.deepEqual(compose(template, [{ type: 'body', parameters: [] }]).components, []);
  });

  test('numbered variables are sent in the order of their numbers, and a variable may occur twice in the text', () => {
    const { content } = compose(make([body('De {{2}} para {{1}}: {{2}}!')]), given({ text: 'Ana' }, { text: 'Bia' }));
    assert.equal(content, 'De Bia para Ana: Bia!');
  });

  test('named variables are filled in by their names, in whatever order they are given', () => {
    const template = make([body('Olá, {{first_name}}: {{date}}.')], { parameterFormat: 'NAMED' });
    const { content, components } = compose(
      template,
      given({ parameter_name: 'date', text: 'hoje' }, { parameter_name: 'first_name', text: 'Ana' }),
    );
    assert.equal(content, 'Olá, Ana: hoje.');
    assert.deepEqual(components, [
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'first_name', text: 'Ana' },
          { type: 'text', parameter_name: 'date', text: 'hoje' },
        ],
      },
    ]);
  });

  test("an amount and a date are written in the template's language, a time in the company's time zone", () => {
    const template = make([body('{{1}} até {{2}}, {{3}} e {{4}}')]);
    const parameters = given(
      { currencyCode: 'BRL', currencyAmount: 1234.5 },
      { dateTime: '2026-02-25' },
      { dateTime: '2026-02-25T23:30:00Z' },
      { dateTime: 'amanhã cedo' },
    );
    const { content, components } = compose(template, parameters, 'America/Sao_Paulo');
    assert.equal(content, 'R$ 1.234,50 até 25 de fevereiro de 2026, 25 de fevereiro de 2026 às 20:30 e amanhã cedo');
    assert.deepEqual(((components[0]?.['parameters'] ?? []) as unknown[]).slice(0, 2), [
      { type: 'currency', currency: { fallback_value: 'R$ 1.234,50', code: 'BRL', amount_1000: 1_234_500 } },
      { type: 'date_time', date_time: { fallback_value: '25 de fevereiro de 2026' } },
    ]);
    const english = compose({ ...template, language: 'en_US' }, parameters);
    assert.equal(english.content, 'R$1,234.50 até February 25, 2026, February 25, 2026 at 11:30 PM e amanhã cedo');
    assert.ok(compose({ ...template, language: 'xx_nonsense' }, parameters).content.includes('February'));
  });

  test('an amount is converted to thousandths without rounding errors', () => {
    for (const [amount, thousandths] of [
      [19.99, 19_990],
      [1.005, 1_005],
      [0.1 + 0.2, 300],
      [-4.35, -4_350],
      [2_147_483.647, 2_147_483_647],
    ] as const) {
      const { components } = compose(make([body('{{1}}.')]), given({ currencyCode: 'USD', currencyAmount: amount }));
      const [parameter] = (components[0]?.['parameters'] ?? []) as { currency: { amount_1000: number } }[];
      assert.equal(parameter?.currency.amount_1000, thousandths, String(amount));
    }
  });

  test('the file of a header can be given by its URL or by its id at the network, in each accepted format', () => {
    const link = 'https://x.example/a';
    const id = '4490709327384033';
    const spellings: [string, GivenComponent['parameters'][number], object][] = [
      ['IMAGE', { imageUrl: link }, { link }],
      ['IMAGE', { imageId: id }, { id }],
      ['IMAGE', { image: { link } }, { link }],
      ['IMAGE', { image: { id }, type: 'image' }, { id }],
      ['IMAGE', { link }, { link }],
      ['IMAGE', { value: link }, { link }],
      ['VIDEO', { videoUrl: link }, { link }],
      ['VIDEO', { video: { link } }, { link }],
      ['DOCUMENT', { documentUrl: link, documentFilename: 'a.pdf' }, { link, filename: 'a.pdf' }],
      ['DOCUMENT', { document: { link, filename: 'a.pdf' } }, { link, filename: 'a.pdf' }],
    ];
    for (const [format, parameter, expected] of spellings) {
      const template = make([{ type: 'HEADER', format }, body('Olá!')]);
      const { components, content } = compose(template, [{ type: 'header', parameters: [parameter] }]);
      const kind = format.toLowerCase();
      assert.deepEqual(components, [{ type: 'header', parameters: [{ type: kind, [kind]: expected }] }]);
      assert.equal(content, 'Olá!');
    }
  });

  test('a location, a limited-time offer, a flow, a catalogue and a one-time code are sent in the format of the network', () => {
    const place = { latitude: -23.5, longitude: -46.6, name: 'Loja', address: 'Rua 1' };
    const located = make([{ type: 'HEADER', format: 'LOCATION' }, body('Aqui.')]);
    assert.deepEqual(compose(located, [{ type: 'header', parameters: [{ location: place }] }]).components, [
      { type: 'header', parameters: [{ type: 'location', location: place }] },
    ]);
    const offer = make([
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Corra!', has_expiration: true } },
      body('25% de desconto.'),
    ]);
    const until = compose(offer, [{ type: 'limited_time_offer', parameters: [{ dateTime: '2099-01-01T00:00:00Z' }] }]);
    assert.equal(until.content, 'Corra!\n\n25% de desconto.');
    assert.deepEqual(until.components, [
      {
        type: 'limited_time_offer',
        parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: Date.UTC(2099, 0, 1) } }],
      },
    ]);
    const flow = make([body('Agende.'), buttons({ type: 'FLOW', text: 'Agendar' })]);
    const action = (token: string, data = {}) => [
      {
        type: 'button',
        sub_type: 'flow',
        index: '0',
        parameters: [{ type: 'action', action: { flow_token: token, ...data } }],
      },
    ];
    assert.deepEqual(compose(flow, []).components, action('unused'));
    assert.deepEqual(compose(flow, [{ index: 0, parameters: [{ payload: 'token-1' }] }]).components, action('token-1'));
    const data = { flow_action_data: { day: '2026-03-01', slots: [9, 10] } };
    assert.deepEqual(compose(flow, [{ index: 0, parameters: [data] }]).components, action('unused', data));
    assert.deepEqual(
      compose(flow, [{ index: 0, parameters: [{ payload: 'token-1', ...data }] }]).components,
      action('token-1', data),
    );
    const large = { flow_action_data: { text: 'x'.repeat(8_192) } };
    assert.deepEqual(places(refuse(flow, [{ index: 0, parameters: [large] }])), [
      '[0].parameters[0].flow_action_data MAX_LENGTH',
    ]);
    const catalogue = make([body('Veja.'), buttons({ type: 'CATALOG', text: 'Ver' })]);
    assert.deepEqual(compose(catalogue, []).components, [{ type: 'button', sub_type: 'catalog', index: '0' }]);
    const code = make([
      { type: 'BODY', text: '*{{1}}* é o seu código.', add_security_recommendation: true },
      buttons({ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copiar' }),
    ]);
    const sent = compose(code, [
      { parameters: [{ text: '123456' }] },
      { index: '0', parameters: [{ text: '123456' }] },
    ]);
    assert.equal(sent.content, '*123456* é o seu código.\n\n[Copiar]');
    assert.deepEqual(sent.components[1], {
      type: 'button',
      sub_type: 'url',
      index: '0',
      parameters: [{ type: 'text', text: '123456' }],
    });
  });

  test('each card of a carousel is filled with its own values', () => {
    const card = (text: string) => ({
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        body(text),
        buttons(
          { type: 'QUICK_REPLY', text: 'Mais' },
          { type: 'URL', text: 'Comprar', url: 'https://loja.example/{{1}}' },
        ),
      ],
    });
    const template = make([
      body('Plantas raras, {{1}}.'),
      { type: 'CAROUSEL', cards: [card('Azul'), card('De {{1}}')] },
    ]);
    const values = (number: number): GivenComponent[] => [
      { card: number, type: 'header', parameters: [{ imageUrl: `https://x.example/${number}.jpg` }] },
      { card: number, index: '1', parameters: [{ text: `p${number}` }] },
    ];
    const { content, components } = compose(template, [
      { parameters: [{ text: 'Ana' }] },
      ...values(0),
      ...values(1),
      { card: 1, parameters: [{ text: 'ouro' }] },
    ]);
    assert.equal(content, 'Plantas raras, Ana.\n\nAzul\n\n[Mais]\n[Comprar]\n\nDe ouro\n\n[Mais]\n[Comprar]');
    assert.deepEqual(components[1], {
      type: 'carousel',
      cards: [
        {
          card_index: 0,
          components: [
            { type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.example/0.jpg' } }] },
            { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'p0' }] },
          ],
        },
        {
          card_index: 1,
          components: [
            { type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.example/1.jpg' } }] },
            { type: 'body', parameters: [{ type: 'text', text: 'ouro' }] },
            { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'p1' }] },
          ],
        },
      ],
    });
    assert.deepEqual(places(refuse(template, [{ parameters: [{ text: 'Ana' }] }, ...values(0)])), [' COUNT_MISMATCH']);
    const document = {
      card: 0,
      type: 'header' as const,
      parameters: [{ document: { id: '65f0a1b2c3d4e5f607182930' } }],
    };
    assert.deepEqual(places(refuse(template, [{ parameters: [{ text: 'Ana' }] }, document])), [
      '[1].parameters[0].document TYPE_MISMATCH',
    ]);
  });
});

describe('refused parameters', () => {
  const offer = make([
    { type: 'HEADER', format: 'IMAGE' },
    body('{{1}}: {{2}}.'),
    buttons(
      { type: 'QUICK_REPLY', text: 'Sim' },
      { type: 'URL', text: 'Loja', url: 'https://loja.example/{{1}}' },
      { type: 'COPY_CODE', text: 'Copiar' },
    ),
  ]);
  const image: GivenComponent = { type: 'header', parameters: [{ imageUrl: 'https://x.example/a.jpg' }] };
  const texts: GivenComponent = { parameters: [{ text: 'Ana' }, { text: '25%' }] };
  const suffix: GivenComponent = { index: '1', parameters: [{ text: 'verao' }] };
  const code: GivenComponent = { index: '2', parameters: [{ text: 'VERAO25' }] };
  const all = [image, texts, suffix, code];

  test('all values of the example template together are accepted', () => {
    compose(offer, all);
  });

  const wrong: [string, GivenComponent[], string][] = [
    ['no values at all', [], ' COUNT_MISMATCH'],
    ['no header', [texts, suffix, code], ' COUNT_MISMATCH'],
    ['no suffix', [image, texts, code], ' COUNT_MISMATCH'],
    ['too few texts', [image, { parameters: [{ text: 'Ana' }] }, suffix, code], '[1].parameters COUNT_MISMATCH'],
    [
      'too many texts',
      [image, { parameters: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }, suffix, code],
      '[1].parameters COUNT_MISMATCH',
    ],
    [
      'an image in the body',
      [image, { parameters: [{ text: 'Ana' }, { imageUrl: 'https://x.example/a' }] }, suffix, code],
      '[1].parameters[1].imageUrl TYPE_MISMATCH',
    ],
    [
      'a document in the header',
      [{ type: 'header', parameters: [{ documentUrl: 'https://x.example/a.pdf' }] }, texts, suffix, code],
      '[0].parameters[0].documentUrl TYPE_MISMATCH',
    ],
    [
      'a name in a template with numbered variables',
      [image, { parameters: [{ text: 'Ana', parameter_name: 'first' }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].parameter_name TYPE_MISMATCH',
    ],
    ['two bodies', [image, texts, texts, suffix, code], '[2] INVALID'],
    ['a button that is not there', [...all, { index: '7', parameters: [{ text: 'x' }] }], '[4] COUNT_MISMATCH'],
    [
      'a button of another kind',
      [image, texts, { ...suffix, sub_type: 'quick_reply' }, code],
      '[2].sub_type TYPE_MISMATCH',
    ],
    [
      'a button without its position',
      [image, texts, { type: 'button', parameters: [{ text: 'x' }] }, code],
      '[2].index REQUIRED',
    ],
    ['a position of a body', [image, { ...texts, type: 'body', index: '1' }, suffix, code], '[1].index INVALID'],
    ['a card without a carousel', [{ ...image, card: 0 }, texts, suffix, code], '[0] COUNT_MISMATCH'],
    ['an empty parameter', [image, { parameters: [{}, { text: 'b' }] }, suffix, code], '[1].parameters[0] REQUIRED'],
    [
      'two values in one parameter',
      [image, { parameters: [{ text: 'a', value: 'b' }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].value INVALID',
    ],
    [
      'a line break',
      [image, { parameters: [{ text: 'a\nb' }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].text INVALID',
    ],
    [
      'five spaces in a row',
      [image, { parameters: [{ text: 'a     b' }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].text INVALID',
    ],
    [
      'spaces alone',
      [image, { parameters: [{ text: '  ' }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].text INVALID',
    ],
    [
      'an unknown currency',
      [image, { parameters: [{ currencyCode: 'XQQ', currencyAmount: 1 }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].currencyCode INVALID',
    ],
    [
      'an amount without a currency',
      [image, { parameters: [{ currencyAmount: 1 }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].currencyCode REQUIRED',
    ],
    [
      'a fourth decimal',
      [image, { parameters: [{ currencyCode: 'BRL', currencyAmount: 0.0001 }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].currencyAmount INVALID',
    ],
    [
      'an amount beyond the network',
      [image, { parameters: [{ currencyCode: 'BRL', currencyAmount: 2_147_484 }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].currencyAmount INVALID',
    ],
    [
      'a code with signs',
      [image, texts, suffix, { index: '2', parameters: [{ text: '25-OFF' }] }],
      '[3].parameters[0].text INVALID',
    ],
    [
      'a long code',
      [image, texts, suffix, { index: '2', parameters: [{ text: 'A'.repeat(21) }] }],
      '[3].parameters[0].text MAX_LENGTH',
    ],
    [
      'a type that does not fit',
      [image, { parameters: [{ type: 'currency', text: 'a' }, { text: 'b' }] }, suffix, code],
      '[1].parameters[0].type TYPE_MISMATCH',
    ],
    [
      'an image by address and id',
      [{ type: 'header', parameters: [{ image: { link: 'https://x.example/a', id: '1' } }] }, texts, suffix, code],
      '[0].parameters[0].image INVALID',
    ],
    [
      'an id that is not of the network',
      [{ type: 'header', parameters: [{ imageId: 'mine' }] }, texts, suffix, code],
      '[0].parameters[0].imageId INVALID',
    ],
    [
      'no web address',
      [{ type: 'header', parameters: [{ value: 'javascript:alert(1)' }] }, texts, suffix, code],
      '[0].parameters[0].value INVALID',
    ],
    [
      'a body that becomes too long',
      [image, { parameters: [{ text: 'x'.repeat(1_000) }, { text: 'y'.repeat(100) }] }, suffix, code],
      '[1].parameters MAX_LENGTH',
    ],
  ];
  for (const [name, components, place] of wrong) {
    test(`parameters with a fault are refused, and the error names the parameter: ${name}`, () => {
      assert.deepEqual(places(refuse(offer, components)), [place]);
    });
  }

  test('a template with named variables refuses unknown, repeated and missing names', () => {
    const template = make([body('{{a}} e {{b}}.')], { parameterFormat: 'NAMED' });
    const fill = (...pairs: [string | undefined, string][]) =>
      given(...pairs.map(([name, text]) => ({ text, ...(name === undefined ? {} : { parameter_name: name }) })));
    assert.deepEqual(places(refuse(template, fill(['a', '1'], ['c', '2']))), [
      '[0].parameters[1].parameter_name TYPE_MISMATCH',
    ]);
    assert.deepEqual(places(refuse(template, fill(['a', '1'], ['a', '2']))), [
      '[0].parameters[1].parameter_name INVALID',
    ]);
    assert.deepEqual(places(refuse(template, fill(['a', '1'], [undefined, '2']))), [
      '[0].parameters[1].parameter_name REQUIRED',
    ]);
  });

  test('a filled text header may have at most 60 characters, and the body may be longer in a template that has only a body', () => {
    const header = make([{ type: 'HEADER', format: 'TEXT', text: 'Oi {{1}}' }, body('Olá.')]);
    assert.deepEqual(places(refuse(header, [{ type: 'header', parameters: [{ text: 'x'.repeat(58) }] }])), [
      '[0].parameters MAX_LENGTH',
    ]);
    compose(header, [{ type: 'header', parameters: [{ text: 'x'.repeat(57) }] }]);
    compose(make([body('Oi {{1}}!')]), given({ text: 'x'.repeat(32_000) }));
  });

  test('a message that would be larger than its record may be is refused', () => {
    const lone = make([body('Oi {{1}}!')]);
    assert.deepEqual(places(refuse(lone, given({ text: '長'.repeat(30_000) }))), [' TOO_LARGE']);
  });

  test('the end of a limited-time offer has to be in the future', () => {
    const template = make([{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'x' } }, body('Olá.')]);
    for (const dateTime of ['2020-01-01T00:00:00Z', 'amanhã'])
      assert.deepEqual(places(refuse(template, [{ type: 'limited_time_offer', parameters: [{ dateTime }] }])), [
        '[0].parameters[0].dateTime INVALID',
      ]);
  });

  test('a template with an unsupported part is refused with the name of the part, and its list of values marks the part as unsupported', () => {
    for (const [components, words] of [
      [[body('Olá.'), buttons({ type: 'MPM', text: 'Ver' })], 'a button of type MPM'],
      [[{ type: 'HEADER', format: 'PRODUCT' }, body('Olá.')], 'a header of format PRODUCT'],
      [[body('Olá.'), { type: 'CALL_PERMISSION_REQUEST' }], 'a component of type CALL_PERMISSION_REQUEST'],
    ] as const) {
      const template = make([...components]);
      const [fault] = refuse(template, []);
      assert.equal(fault?.code, 'UNSUPPORTED');
      assert.ok(fault.message.includes(words), fault.message);
      assert.equal(readShape(template).unsupported, words);
    }
  });

  test('malformed components of a template are read without an error', () => {
    for (const components of [
      [{}],
      [{ type: 7 }],
      [{ type: 'BODY' }],
      [{ type: 'BUTTONS', buttons: 'none' }],
      [{ type: 'CAROUSEL', cards: [null, { components: 'x' }] }],
      [{ type: 'HEADER', format: null, example: 7 }],
    ]) {
      composeTemplate(make(components), []);
      readShape(make(components));
    }
  });
});
