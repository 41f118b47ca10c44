import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectPhone, buildNotification, openNetwork, type Phone } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, database, demo, sandbox } = platform;
const network = await openNetwork(platform);

const pathOf = (inbox: string): string => `/v1/inboxes/${inbox}/templates`;
const list = async ({ inbox, key = demo.key }: { inbox: string; key?: string }, query = ''): Promise<Json> =>
  (await call(200, 'GET', `${pathOf(inbox)}${query}`, { key })).body;
const names = ({ result }: Json): string[] => result.map((template: Json) => `${template.name} ${template.language}`);
const find = async (phone: Phone, name: string): Promise<Json> => (await list(phone, `?name=${name}`)).result[0];

/** Waits until the templates of the inbox were copied after this time. */
const copiedSince = (phone: Phone, since: string | null): Promise<Json> =>
  waitUntil('a copy of the templates', async () => {
    const page = await list(phone, '?limit=100');
    return (page.catalogue.fetched_at ?? '') > (since ?? '') && page;
  });

/** Makes a worker copy the templates of the inbox now, and waits for the copy. */
async function copyNow(phone: Phone): Promise<Json> {
  const { catalogue } = await list(phone);
  await database.sql('update template_catalogues set is_waiting = true where account = $1 and held_until is null', [
    phone.waba,
  ]);
  return copiedSince(phone, catalogue.fetched_at);
}

async function connect(options: Parameters<typeof connectPhone>[1] = {}): Promise<Phone> {
  const phone = await connectPhone(platform, options);
  await copiedSince(phone, null);
  return phone;
}

const addAtNetwork = (phone: Phone, template: Json): Promise<Json> =>
  sandbox('POST', '/sandbox/templates', { waba_id: phone.waba, language: 'pt_BR', ...template });
const changeAtNetwork = (phone: Phone, change: Json): Promise<Json> =>
  sandbox('PATCH', '/sandbox/templates', { waba_id: phone.waba, ...change });
const setFaults = (templates: Json[]): Promise<Json> => sandbox('PUT', '/sandbox/settings', { faults: { templates } });

/** Reports a change of a template as the network does, at a time in seconds. */
const report = (phone: Phone, field: string, value: Json, time = Math.floor(Date.now() / 1000)): Promise<unknown> => {
  const body = buildNotification({ phone, field, value });
  body.entry[0].time = time;
  body.entry[0].changes[0].value = value;
  return network.post(200, body);
};
const about = (name: string, language = 'pt_BR') => ({
  message_template_id: 1,
  message_template_name: name,
  message_template_language: language,
});

const BODY = [{ type: 'BODY', text: 'Olá!' }];
const draft = (name: string): Json => ({ name, language: 'pt_BR', category: 'UTILITY', components: BODY });

describe('the copy of the templates', () => {
  test('the templates of an account are copied when an inbox connects, each with the values that it takes', async () => {
    const phone = await connect();
    const page = await list(phone, '?limit=100');
    assert.equal(page.meta.totalCount, 9);
    assert.equal(page.catalogue.error, null);
    const { _id, createdAt, updatedAt, fetched_at, network_id, components, ...rest } = await find(
      phone,
      'summer_offer',
    );
    assert.match(_id, /^[0-9a-f]{24}$/);
    assert.ok([createdAt, updatedAt, fetched_at].every((at) => !Number.isNaN(Date.parse(at))));
    assert.match(network_id, /^\d+$/);
    assert.deepEqual(
      components.map(({ type }: Json) => type),
      ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'],
    );
    const plain = { card: null, index: null, sub_type: null, name: null, position: 1, required: true, example: null };
    assert.deepEqual(rest, {
      company: demo._id,
      name: 'summer_offer',
      language: 'pt_BR',
      category: 'MARKETING',
      status: 'APPROVED',
      quality: 'GREEN',
      parameter_format: 'POSITIONAL',
      parameters: [
        { ...plain, component: 'HEADER', type: 'IMAGE' },
        { ...plain, component: 'BODY', type: 'TEXT', example: 'Ana' },
        { ...plain, component: 'BODY', type: 'TEXT', position: 2, example: '25%' },
        { ...plain, component: 'BUTTON', index: 0, sub_type: 'QUICK_REPLY', type: 'PAYLOAD', required: false },
        { ...plain, component: 'BUTTON', index: 1, sub_type: 'URL', type: 'URL_SUFFIX', example: 'verao' },
        { ...plain, component: 'BUTTON', index: 2, sub_type: 'COPY_CODE', type: 'COUPON_CODE', example: 'VERAO25' },
      ],
      unsupported: null,
      editable: true,
      rejected_reason: null,
    });
  });

  test('the list of templates can be filtered by name, language, category and status, and searched by name and text', async () => {
    const phone = await connect();
    const filtered = async (query: string): Promise<string[]> => names(await list(phone, query)).toSorted();
    assert.deepEqual(await filtered('?name=order_update'), ['order_update en_US', 'order_update pt_BR']);
    assert.deepEqual(await filtered('?name=order_update&language=pt_BR'), ['order_update pt_BR']);
    assert.deepEqual(await filtered('?status=PAUSED'), ['spring_offer pt_BR']);
    assert.deepEqual(await filtered('?category=MARKETING&status=APPROVED'), ['summer_offer pt_BR']);
    assert.deepEqual(await filtered('?search=VERAO'), ['summer_offer pt_BR']);
    assert.deepEqual(await filtered('?search=reminder'), ['appointment_reminder pt_BR']);
    assert.deepEqual(await filtered('?search=no-such-word'), []);
    expectProblem(await call(400, 'GET', `${pathOf(phone.inbox)}?category=OTHER`), 'VALIDATION_FAILED', 'category');
  });

  test('inboxes of one account share its templates, and another company has its own copy', async () => {
    const phone = await connect();
    const sibling = await connect({ waba: phone.waba });
    const other = await platform.createCompany();
    const stranger = await connect({ company: other, waba: phone.waba });
    const ids = async (each: Phone): Promise<string[]> =>
      (await list(each, '?limit=100')).result.map(({ _id }: Json) => _id);
    assert.deepEqual(await ids(sibling), await ids(phone));
    const [own, others] = [await ids(phone), await ids(stranger)];
    assert.equal(others.length, own.length);
    assert.ok(others.every((id) => !own.includes(id)));
    expectProblem(await call(404, 'GET', pathOf(phone.inbox), { key: other.key }), 'NOT_FOUND');
  });

  test('a template list of several pages is copied completely, even when a slow network makes several runs of the job necessary', async () => {
    const phone = await connect();
    for (let number = 0; number < 230; number += 1)
      await addAtNetwork(phone, { name: `many_${number}`, components: BODY });
    await setFaults([{ kind: 'slow', ms: 3_200, times: 1 }]);
    await copyNow(phone);
    assert.equal((await list(phone)).meta.totalCount, 239);
  });

  test('a template that the network has changed or removed without a notification is changed or removed by the next copy', async () => {
    const phone = await connect();
    await sandbox('POST', '/sandbox/templates', { waba_id: phone.waba, ...draft('short_lived') });
    await copyNow(phone);
    const before = await find(phone, 'short_lived');
    assert.equal(before.status, 'APPROVED');
    await changeAtNetwork(phone, { name: 'order_update', language: 'en_US', status: 'DISABLED', quality: 'RED' });
    const token = `token-${phone.id}`;
    const response = await fetch(`${platform.sandboxUrl}/${phone.waba}/message_templates?name=short_lived`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(response.status, 200);
    const untouched = await find(phone, 'summer_offer');
    await copyNow(phone);
    assert.equal(await find(phone, 'short_lived'), undefined);
    const { result } = await list(phone, '?name=order_update&language=en_US');
    assert.deepEqual([result[0].status, result[0].quality], ['DISABLED', 'RED']);
    const after = await find(phone, 'summer_offer');
    assert.ok(after.fetched_at > untouched.fetched_at);
    assert.equal(after.updatedAt, untouched.updatedAt, 'what did not change is not updated');
  });

  test('while the network does not answer, the template list stays unchanged and shows the error; later it is copied again', async () => {
    const phone = await connect();
    const before = await list(phone, '?limit=100');
    await setFaults([{ code: 80_007, times: 1 }]);
    await database.sql('update template_catalogues set is_waiting = true where account = $1', [phone.waba]);
    const failed = await waitUntil('the error', async () => {
      const page = await list(phone, '?limit=100');
      return page.catalogue.error !== null && page;
    });
    assert.match(failed.catalogue.error, /80007/);
    assert.equal(failed.catalogue.fetched_at, before.catalogue.fetched_at);
    assert.deepEqual(names(failed), names(before));
    const { catalogue } = await copyNow(phone);
    assert.equal(catalogue.error, null);
  });

  test('credentials that the network refuses while templates are copied make the inbox ERROR', async () => {
    const phone = await connect();
    await setFaults([{ code: 190, times: 1 }]);
    await database.sql('update template_catalogues set is_waiting = true where account = $1', [phone.waba]);
    await waitUntil('the inbox to be refused', async () => {
      const { body } = await call(200, 'GET', `/v1/inboxes/${phone.inbox}`);
      return body.connection.status === 'ERROR';
    });
  });

  test('an account whose network does not answer delays the copies of no other account', async () => {
    const other = await platform.createCompany();
    const [slow, quick] = [await connect({ company: other }), await connect()];
    await setFaults([{ kind: 'hang', times: 1 }]);
    await database.sql('update template_catalogues set is_waiting = true where account = $1', [slow.waba]);
    const isBeingCopied = async ({ waba }: Phone): Promise<boolean> => {
      const held = 'select 1 from template_catalogues where account = $1 and held_until > now()';
      return (await database.sql(held, [waba])).length > 0;
    };
    await waitUntil('the copy of the slow account to begin', () => isBeingCopied(slow));
    await copyNow(quick);
    assert.ok(await isBeingCopied(slow), 'the other account waited for the one that hangs');
    assert.equal((await list(slow)).meta.totalCount, 9);
  });

  test('a copy of templates whose worker died is continued where it stopped', async () => {
    const phone = await connect();
    const { catalogue } = await list(phone);
    await database.sql(
      `update template_catalogues set is_waiting = false, due_at = 'infinity', pass_at = now(), held_until = now() - interval '1 second'
        where account = $1`,
      [phone.waba],
    );
    await copiedSince(phone, catalogue.fetched_at);
  });

  test('an account that no inbox uses any more is deleted with its templates', async () => {
    const phone = await connect();
    const [row] = await database.sql<{ _id: string }>('select _id from template_catalogues where account = $1', [
      phone.waba,
    ]);
    await database.sql(`update inboxes set network_account = '1' where _id = $1`, [phone.inbox]);
    await database.sql('update template_catalogues set is_waiting = true where account = $1', [phone.waba]);
    await waitUntil('the catalogue to go', async () => {
      const rows = await database.sql('select 1 from template_catalogues where account = $1', [phone.waba]);
      return rows.length === 0;
    });
    assert.deepEqual(await database.sql('select 1 from templates where catalogue_id = $1', [row?._id]), []);
  });
});

describe('notifications about templates', () => {
  test('a notification of a new status, quality or category of a template is stored at once, in each company that uses the account', async () => {
    const phone = await connect();
    const stranger = await connect({ company: await platform.createCompany(), waba: phone.waba });
    await report(phone, 'message_template_status_update', {
      event: 'PAUSED',
      reason: 'NONE',
      ...about('summer_offer'),
    });
    await report(phone, 'message_template_quality_update', { new_quality_score: 'YELLOW', ...about('summer_offer') });
    await report(phone, 'template_category_update', { new_category: 'UTILITY', ...about('summer_offer') });
    for (const each of [phone, stranger]) {
      const { status, quality, category, rejected_reason } = await find(each, 'summer_offer');
      assert.deepEqual([status, quality, category, rejected_reason], ['PAUSED', 'YELLOW', 'UTILITY', null]);
    }
    const rejected = { event: 'REJECTED', reason: 'INVALID_FORMAT', ...about('new_terms', 'en_US') };
    await report(phone, 'message_template_status_update', rejected);
    const { status, rejected_reason } = await find(phone, 'new_terms');
    assert.deepEqual([status, rejected_reason], ['REJECTED', 'INVALID_FORMAT']);
  });

  test('a notification about a template that is older than the last one changes nothing', async () => {
    const phone = await connect();
    const now = Math.floor(Date.now() / 1000);
    const tell = (event: string, time: number): Promise<unknown> =>
      report(phone, 'message_template_status_update', { event, ...about('summer_offer') }, time);
    await tell('PAUSED', now - 10);
    await tell('APPROVED', now - 20);
    assert.equal((await find(phone, 'summer_offer')).status, 'PAUSED');
    await tell('REINSTATED', now);
    await tell('APPROVED', now);
    assert.equal((await find(phone, 'summer_offer')).status, 'APPROVED');
  });

  test('a notification about an unknown template or about new components makes the platform copy the templates again', async () => {
    const phone = await connect();
    await addAtNetwork(phone, { name: 'from_elsewhere', components: BODY });
    await database.sql(`update template_catalogues set claimed_at = now() - interval '1 minute' where account = $1`, [
      phone.waba,
    ]);
    await report(phone, 'message_template_status_update', { event: 'APPROVED', ...about('from_elsewhere') });
    await waitUntil('the new template', async () => find(phone, 'from_elsewhere'));
    await addAtNetwork(phone, { name: 'from_elsewhere', components: [{ type: 'BODY', text: 'Adeus!' }] });
    await database.sql(`update template_catalogues set claimed_at = now() - interval '1 minute' where account = $1`, [
      phone.waba,
    ]);
    await report(phone, 'message_template_components_update', about('from_elsewhere'));
    await waitUntil('the new text', async () => (await find(phone, 'from_elsewhere')).components[0].text === 'Adeus!');
  });

  test('a template notification with an unknown account or without a name is answered 200 and changes nothing', async () => {
    const phone = await connect();
    const before = await list(phone, '?limit=100');
    const news = { event: 'PAUSED', ...about('summer_offer') };
    await report({ ...phone, waba: '999' }, 'message_template_status_update', news);
    await report(phone, 'message_template_status_update', { event: 'PAUSED' });
    await report(phone, 'message_template_status_update', { event: 'DANCING', ...about('summer_offer') });
    assert.deepEqual((await list(phone, '?limit=100')).result, before.result);
  });
});

describe('submitting, changing and removing templates', () => {
  test('a template that is submitted is stored with the status of the network, and shown in the list and the audit', async () => {
    const phone = await connect();
    const components = [
      { type: 'BODY', text: 'Oi {{1}}, tudo bem?', example: { body_text: [['Ana']] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Sim' }] },
    ];
    const body = { ...draft('greeting'), category: 'MARKETING', components };
    const { body: made } = await call(201, 'POST', pathOf(phone.inbox), { body });
    assert.deepEqual([made.status, made.category, made.components], ['APPROVED', 'MARKETING', components]);
    assert.deepEqual(
      made.parameters.map(({ component, type }: Json) => `${component} ${type}`),
      ['BODY TEXT', 'BUTTON PAYLOAD'],
    );
    assert.deepEqual(await find(phone, 'greeting'), made);
    const { body: audit } = await call(200, 'GET', `/v1/audit?resource=${made._id}`);
    assert.deepEqual(
      audit.result.map(({ action }: Json) => action),
      ['templates.create'],
    );
  });

  test("a template that the network refuses is answered 400 with the network's code and message, and nothing is stored", async () => {
    const phone = await connect();
    const refused = await call(400, 'POST', pathOf(phone.inbox), { body: draft('order_update') });
    expectProblem(refused, 'NETWORK_REFUSED', 'network');
    assert.equal(refused.body.errors[0].code, '100');
    assert.match(refused.body.detail, /already content in this language/);
    const { result } = await list(phone, '?name=order_update&language=pt_BR');
    assert.match(result[0].components[0].text, /^Oi, \{\{1\}\}!/);
  });

  test('a submission that the network does not answer is answered 503, and the list shows the template once the network has it', async () => {
    const phone = await connect();
    await setFaults([{ kind: 'reset', times: null }]);
    expectProblem(await call(503, 'POST', pathOf(phone.inbox), { body: draft('maybe') }), 'UNAVAILABLE');
    await setFaults([]);
    assert.equal(await find(phone, 'maybe'), undefined);
    await addAtNetwork(phone, { name: 'maybe', components: BODY });
    await copyNow(phone);
    assert.equal((await find(phone, 'maybe')).status, 'APPROVED');
  });

  test('a template gets new contents at the network and here, in one language, and a rejected one also another category', async () => {
    const phone = await connect();
    for (const language of ['pt_BR', 'es'])
      await call(201, 'POST', pathOf(phone.inbox), { body: { ...draft('thanks'), language } });
    const path = `${pathOf(phone.inbox)}/thanks`;
    await changeAtNetwork(phone, { name: 'thanks', language: 'pt_BR', quality: 'GREEN' });
    const rated = (await copyNow(phone)).result.find(({ language }: Json) => language === 'pt_BR');
    const components = [{ type: 'BODY', text: 'Obrigada, {{1}}!', example: { body_text: [['Ana']] } }];
    const { body: changed } = await call(200, 'PUT', path, { body: { language: 'pt_BR', components } });
    assert.deepEqual([changed.components, changed.parameters.length, changed.status], [components, 1, 'APPROVED']);
    assert.equal(changed.quality, rated.quality);
    const { body: audit } = await call(200, 'GET', `/v1/audit?resource=${changed._id}`);
    assert.ok(audit.result.some(({ action }: Json) => action === 'templates.update'));
    await changeAtNetwork(phone, {
      name: 'thanks',
      language: 'es',
      status: 'REJECTED',
      rejected_reason: 'TAG_CONTENT_MISMATCH',
    });
    await copyNow(phone);
    const { result } = await list(phone, '?name=thanks');
    const texts = Object.fromEntries(result.map((each: Json) => [each.language, each.components[0].text]));
    assert.deepEqual(texts, { es: 'Olá!', pt_BR: 'Obrigada, {{1}}!' });
    const moved = await call(200, 'PUT', path, { body: { language: 'es', category: 'MARKETING', components: BODY } });
    assert.deepEqual(
      [moved.body.status, moved.body.category, moved.body.rejected_reason],
      ['PENDING', 'MARKETING', null],
    );
    const { result: copied } = await copyNow(phone);
    const again = copied.find(({ name, language }: Json) => name === 'thanks' && language === 'es');
    assert.deepEqual([again.status, again.category], ['APPROVED', 'MARKETING']);
  });

  test('a change that the network would refuse names its fault, and one that it refuses or does not answer changes nothing', async () => {
    const phone = await connect();
    await call(201, 'POST', pathOf(phone.inbox), { body: draft('terms') });
    const before = await find(phone, 'terms');
    const path = `${pathOf(phone.inbox)}/terms`;
    const body = { language: 'pt_BR', components: [{ type: 'BODY', text: 'Novos termos' }] };
    await call(404, 'PUT', `${pathOf(phone.inbox)}/unknown`, { body });
    expectProblem(await call(400, 'PUT', path, { body: { ...body, language: 'es' } }), 'UNKNOWN_REFERENCE', 'language');
    for (const [place, fault] of [
      ['category', { category: 'MARKETING' }],
      ['components[0].text', { components: [{ type: 'BODY', text: 'oi {{name}} oi' }] }],
      ['name', { name: 'other' }],
    ] as const)
      expectProblem(await call(400, 'PUT', path, { body: { ...body, ...fault } }), 'VALIDATION_FAILED', place);
    await setFaults([{ code: 100, message: 'Edited too often', times: 1 }]);
    expectProblem(await call(400, 'PUT', path, { body }), 'NETWORK_REFUSED', 'network');
    await setFaults([{ kind: 'reset', times: null }]);
    expectProblem(await call(503, 'PUT', path, { body }), 'UNAVAILABLE');
    await setFaults([]);
    await changeAtNetwork(phone, { name: 'terms', language: 'pt_BR', status: 'PENDING' });
    await copyNow(phone);
    expectProblem(await call(400, 'PUT', path, { body }), 'VALIDATION_FAILED', 'name');
    const { components: kept, editable } = await find(phone, 'terms');
    assert.deepEqual([kept, before.editable, editable], [before.components, true, false]);
  });

  test('a template that breaks a rule of the network is refused before it is submitted, with the place of the fault', async () => {
    const wrong: [string, Json][] = [
      ['name', { name: 'With Spaces' }],
      ['language', { language: 'português' }],
      ['category', { category: 'OTHER' }],
      ['components', { components: [{ type: 'FOOTER', text: 'Só isso' }] }],
      ['components[1].type', { components: [...BODY, ...BODY] }],
      ['components[0].text', { components: [{ type: 'BODY' }] }],
      ['components[0].text', { components: [{ type: 'BODY', text: '{{1}} oi' }] }],
      ['components[0].text', { components: [{ type: 'BODY', text: 'oi {{2}} oi' }] }],
      ['components[0].text', { components: [{ type: 'BODY', text: 'oi {{a b}} oi' }] }],
      ['components[0].text', { parameter_format: 'NAMED', components: [{ type: 'BODY', text: 'oi {{1}} oi' }] }],
      ['components[0].example.body_text', { components: [{ type: 'BODY', text: 'oi {{1}} oi' }] }],
      ['components[0].example.body_text_named_params', { components: [{ type: 'BODY', text: 'oi {{name}} oi' }] }],
      [
        'components[0].buttons',
        { components: [{ type: 'BODY', text: 'oi', buttons: [{ type: 'CATALOG', text: 'x' }] }] },
      ],
      ['components[1].text', { components: [...BODY, { type: 'FOOTER', text: 'x'.repeat(61) }] }],
      ['components[1].text', { components: [...BODY, { type: 'FOOTER', text: 'oi {{1}}' }] }],
      ['components[1].format', { components: [...BODY, { type: 'HEADER', text: 'oi' }] }],
      ['components[1].text', { components: [...BODY, { type: 'HEADER', format: 'IMAGE', text: 'oi' }] }],
      [
        'components[1].buttons[0].text',
        { components: [...BODY, { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }] }] },
      ],
      [
        'components[1].buttons[0].url',
        { components: [...BODY, { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'x', url: 'https://{{1}}/a' }] }] },
      ],
      [
        'components[1].buttons[0].example',
        { components: [...BODY, { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'x', url: 'https://a.b/{{1}}' }] }] },
      ],
      ['components[0].text', { category: 'AUTHENTICATION' }],
    ];
    for (const [path, change] of wrong) {
      const body = { ...draft('refused'), ...change };
      expectProblem(await call(400, 'POST', pathOf(demo.inbox), { body }), 'VALIDATION_FAILED', path);
    }
  });

  test('each kind of template that the network publishes as an example is submitted as it stands', async () => {
    const phone = await connect();
    const image = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::an...'] } };
    const card = {
      components: [
        image,
        { type: 'BODY', text: 'A blue one.' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'More' },
            { type: 'URL', text: 'Shop', url: 'https://shop.example/{{1}}', example: ['BLUE'] },
          ],
        },
      ],
    };
    const examples: Json[] = [
      {
        category: 'AUTHENTICATION',
        components: [
          { type: 'BODY', add_security_recommendation: true },
          { type: 'FOOTER', code_expiration_minutes: 10 },
          { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy Code' }] },
        ],
      },
      {
        category: 'MARKETING',
        components: [
          { type: 'BODY', text: 'Rare plants' },
          { type: 'CAROUSEL', cards: [card, card] },
        ],
      },
      {
        category: 'MARKETING',
        components: [
          image,
          { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Expiring offer!', has_expiration: true } },
          { type: 'BODY', text: 'Good news, {{1}}!', example: { body_text: [['Pablo']] } },
          { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'CARIBE25' }] },
        ],
      },
      {
        category: 'MARKETING',
        components: [
          ...BODY,
          { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Book', flow_id: '1', flow_action: 'navigate' }] },
        ],
      },
    ];
    for (const [number, example] of examples.entries())
      await call(201, 'POST', pathOf(phone.inbox), { body: { ...draft(`published_${number}`), ...example } });
  });

  test('a template is removed in all its languages at the network and on the platform, and the answer lists them', async () => {
    const phone = await connect();
    const before = (await list(phone, '?name=order_update')).result;
    const { body } = await call(200, 'DELETE', `${pathOf(phone.inbox)}/order_update`);
    assert.equal(body.name, 'order_update');
    const byLanguage = (a: Json, b: Json): number => a.language.localeCompare(b.language);
    assert.deepEqual(body.removed.toSorted(byLanguage), before.toSorted(byLanguage));
    assert.deepEqual((await list(phone, '?name=order_update')).result, []);
    expectProblem(await call(404, 'DELETE', `${pathOf(phone.inbox)}/order_update`), 'NOT_FOUND');
    const { catalogue } = await copyNow(phone);
    assert.equal(catalogue.error, null);
    assert.deepEqual((await list(phone, '?name=order_update')).result, []);
  });

  test('a template that is removed while a copy reads the network is not listed again', async () => {
    const phone = await connect();
    await setFaults([{ kind: 'slow_after_accept', ms: 1_500, times: 1 }]);
    const copied = copyNow(phone);
    await waitUntil('the copy has asked the network', async () => {
      const { faults } = await sandbox('GET', '/sandbox/settings');
      return faults.templates.length === 0;
    });
    await call(200, 'DELETE', `${pathOf(phone.inbox)}/order_update`);
    await copied;
    assert.deepEqual((await list(phone, '?name=order_update')).result, []);
    await addAtNetwork(phone, { name: 'order_update', components: BODY });
    await copyNow(phone);
    assert.equal((await find(phone, 'order_update')).status, 'APPROVED');
  });

  test('a template that the network no longer has is removed from the platform, and one that the network keeps stays', async () => {
    const phone = await connect();
    await database.sql(
      `update templates set name = 'ghost' where name = 'spring_offer' and catalogue_id =
      (select _id from template_catalogues where account = $1)`,
      [phone.waba],
    );
    await call(200, 'DELETE', `${pathOf(phone.inbox)}/ghost`);
    assert.equal(await find(phone, 'ghost'), undefined);
    // A copy in the background meets the fault as well, so it stays until the request has met it.
    await setFaults([{ code: 10, times: null }]);
    expectProblem(await call(400, 'DELETE', `${pathOf(phone.inbox)}/summer_offer`), 'NETWORK_REFUSED', 'network');
    await setFaults([{ kind: 'http_500', times: null }]);
    expectProblem(await call(503, 'DELETE', `${pathOf(phone.inbox)}/summer_offer`), 'UNAVAILABLE');
    await setFaults([]);
    assert.equal((await find(phone, 'summer_offer')).status, 'APPROVED');
  });

  test('an inbox of a channel without templates answers 400, and a deleted one submits and removes nothing', async () => {
    const { body: web } = await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Site' } });
    expectProblem(await call(400, 'GET', pathOf(web._id)), 'TEMPLATES_NOT_SUPPORTED');
    expectProblem(await call(400, 'POST', pathOf(web._id), { body: draft('a') }), 'TEMPLATES_NOT_SUPPORTED');
    expectProblem(await call(400, 'DELETE', `${pathOf(web._id)}/a`), 'TEMPLATES_NOT_SUPPORTED');
    const phone = await connect();
    await call(200, 'PUT', `/v1/inboxes/${phone.inbox}`, { body: { status: 'DELETED' } });
    expectProblem(await call(400, 'POST', pathOf(phone.inbox), { body: draft('a') }), 'VALIDATION_FAILED', 'id');
    expectProblem(await call(400, 'DELETE', `${pathOf(phone.inbox)}/summer_offer`), 'VALIDATION_FAILED', 'id');
    assert.equal((await list(phone)).meta.totalCount, 9);
  });

  test('the operations on templates refuse callers without a token or the scope, and malformed requests', async () => {
    const path = pathOf(demo.inbox);
    await checkRefusals(platform, { method: 'GET', path, scope: 'inboxes:read' });
    await checkRefusals(platform, { method: 'POST', path, scope: 'inboxes:update', body: draft('refusals') });
    await checkRefusals(platform, { method: 'DELETE', path: `${path}/spring_offer`, scope: 'inboxes:update' });
  });
});
