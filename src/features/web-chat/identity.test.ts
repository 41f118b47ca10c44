/** Who a visitor of the web chat is: what a site proves, what no one proves, and what is refused. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';
import { signToken } from '../../platform/http/tokens.ts';
import { openSite, prove, SITE_SECRET, visit } from '../../../test/support/web-chat.ts';

const platform = await startPlatform();
const { call } = platform;
const site = await openSite(platform);

const contactOf = async (message: Json): Promise<Json> => {
  const { body } = await call(200, 'GET', `/v1/messages/${message._id}`);
  return (await call(200, 'GET', `/v1/contacts/${body.contact}`)).body;
};
const start = (status: number, body: Json, key = '', inbox = site) =>
  platform.call(status, 'POST', `/web/v1/inboxes/${inbox}/session`, { body, key });

test('a proven person finds the same chat in another browser, as the contact that already has the id or the e-mail', async () => {
  const [byId, byMail] = [
    (await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana', external_id: 'crm-1' } })).body,
    (await call(201, 'POST', '/v1/contacts', { body: { name: 'Bea', email: 'bea@example.test' } })).body,
  ];
  const ana = await visit(platform, site, { identity: await prove({ sub: 'crm-1', name: 'Another name' }) });
  const written = await ana.write('It is me');
  assert.deepEqual([(await contactOf(written))._id, (await contactOf(written)).name], [byId._id, 'Ana']);
  const elsewhere = await visit(platform, site, { identity: await prove({ sub: 'crm-1' }) });
  assert.equal(elsewhere.session.visitor, ana.session.visitor);
  assert.deepEqual((await elsewhere.list()).result, (await ana.list()).result);
  const bea = await visit(platform, site, { identity: await prove({ sub: 'crm-2', email: 'Bea@example.test' }) });
  assert.equal((await contactOf(await bea.write('Hi')))._id, byMail._id);
});

test('what an anonymous visitor wrote belongs to the person whom the site proves, and the token of before opens nothing', async () => {
  const anonymous = await visit(platform, site);
  const first = await anonymous.write('before the log-in');
  const { token } = anonymous.session;
  const identity = await prove({ sub: 'crm-3', name: 'Carla', email: 'carla@example.test' });
  const known = await visit(platform, site, { identity, token });
  assert.notEqual(known.session.visitor, anonymous.session.visitor);
  const [seen] = (await known.list()).result;
  assert.deepEqual([seen._id, seen.content], [first._id, 'before the log-in']);
  const contact = await contactOf(first);
  assert.deepEqual([contact.external_id, contact.name, contact.email], ['crm-3', 'Carla', 'carla@example.test']);
  assert.deepEqual((await anonymous.list()).result, []);
  await known.write('only for Carla');
  assert.deepEqual((await anonymous.list()).result, []);
});

test('a known person who comes back without a proof is a new visitor who sees nothing of the chat', async () => {
  const known = await visit(platform, site, { identity: await prove({ sub: 'crm-4' }) });
  await known.write('secret');
  const later = await visit(platform, site, { token: known.session.token });
  assert.deepEqual([later.session.is_known, later.session.has_conversation], [false, false]);
  assert.notEqual(later.session.visitor, known.session.visitor);
  assert.deepEqual((await later.list()).result, []);
});

test('two people who use one browser after each other do not see each other', async () => {
  const one = await visit(platform, site, { identity: await prove({ sub: 'crm-5' }) });
  await one.write('from one');
  const two = await visit(platform, site, { identity: await prove({ sub: 'crm-6' }), token: one.session.token });
  await two.write('from two');
  const texts = async ({ list }: typeof one) => (await list()).result.map(({ content }: Json) => content);
  assert.deepEqual([await texts(one), await texts(two)], [['from one'], ['from two']]);
});

test('a proof fills custom fields, and one that names an unknown field is refused by its path', async () => {
  await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Plan', slug: 'plan', context: 'contact', type: 'SELECT', options: ['free', 'gold'] },
  });
  const gold = await visit(platform, site, {
    identity: await prove({ sub: 'crm-7', custom_fields: { plan: 'gold' } }),
  });
  const contact = await contactOf(await gold.write('hello'));
  assert.deepEqual(
    contact.custom_fields.map(({ slug, value }: Json) => [slug, value]),
    [['plan', 'gold']],
  );
  for (const [custom_fields, path] of [
    [{ plan: 'silver' }, 'identity.custom_fields.plan'],
    [{ height: 3 }, 'identity.custom_fields.height'],
  ])
    assert.equal(
      (await start(400, { identity: await prove({ sub: 'crm-7', custom_fields }) })).body.errors[0].path,
      path,
    );
});

test('a forged, expired, long-lived or foreign proof is refused, and so is one of another algorithm', async () => {
  const none = await openSite(platform, { identity_secret: null });
  const [head = '', body = ''] = (await prove({ sub: 'x' })).split('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
  for (const [identity, inbox] of [
    [await prove({ sub: 'x' }, { secret: `${SITE_SECRET}!` }), site],
    [await prove({ sub: 'x' }, { exp: Math.floor(Date.now() / 1_000) - 60 }), site],
    [await prove({ sub: 'x' }, { exp: '3h' }), site],
    [await prove({ sub: 'x', aud: none }), site],
    [await prove({ name: 'nobody' }), site],
    [await prove({ sub: '' }), site],
    [await prove({ sub: 'x', email: 'no address' }), site],
    [unsigned, site],
    [`${head}.${body}.`, site],
    ['not a token', site],
    ['x'.repeat(9_000), site],
    [await prove({ sub: 'x' }), none],
  ] as const)
    expectProblem(await start(401, { identity }, '', inbox), 'IDENTITY_REFUSED', 'identity');
});

test('a chat that needs a proof takes no anonymous visitor', async () => {
  const closed = await openSite(platform, { identity_required: true });
  assert.equal((await start(401, {}, '', closed)).body.code, 'IDENTITY_REQUIRED');
  await visit(platform, closed, { identity: await prove({ sub: 'crm-8' }) });
});

test("a visitor's token opens no other chat and no operation of the company, a forged or expired one opens nothing, and neither does a company's key", async () => {
  const visitor = await visit(platform, site);
  const elsewhere = await openSite(platform);
  const { token } = visitor.session;
  await call(401, 'GET', `/web/v1/inboxes/${elsewhere}/messages`, { key: token });
  await call(401, 'GET', '/v1/contacts', { key: token });
  await call(401, 'GET', `/web/v1/inboxes/${site}/messages`);
  await call(401, 'GET', `/web/v1/inboxes/${site}/messages`, { key: `${token.slice(0, -2)}xx` });
  const claims = { type: 'visitor', company: platform.demo._id, inbox: site, external_id: null, jti: newId() };
  const sign = (exp: number): Promise<string> =>
    signToken(platform.running.kit.tokenSecret, visitor.session.visitor, { ...claims, exp });
  const nowSeconds = Math.floor(Date.now() / 1_000);
  await call(200, 'GET', `/web/v1/inboxes/${site}/messages`, { key: await sign(nowSeconds + 60) });
  await call(401, 'GET', `/web/v1/inboxes/${site}/messages`, { key: await sign(nowSeconds - 60) });
  await call(404, 'GET', `/web/v1/inboxes/${platform.demo.inbox}/messages`, { key: token });
});

test('a page of a site that the inbox does not name is refused, and the named ones may call the chat', async () => {
  const shop = await openSite(platform, { allowed_origins: ['https://shop.example', 'https://*.shop.example:8443'] });
  const path = `/web/v1/inboxes/${shop}`;
  for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null'])
    expectProblem(await call(403, 'GET', path, { headers: { origin } }), 'ORIGIN_NOT_ALLOWED', 'origin');
  for (const origin of ['https://shop.example', 'https://www.shop.example:8443', platform.url]) {
    const { headers } = await call(200, 'GET', path, { headers: { origin } });
    if (origin !== platform.url) assert.equal(headers.get('access-control-allow-origin'), origin);
  }
});

test('the questions before the first message are checked, and no one becomes a known contact by an e-mail that they typed', async () => {
  const questions = [
    { kind: 'NAME', required: true },
    { kind: 'EMAIL', required: false },
    { kind: 'CUSTOM_FIELD', slug: 'plan', required: true },
  ];
  const asking = await openSite(platform, { questions });
  const { body: shown } = await call(200, 'GET', `/web/v1/inboxes/${asking}`, { key: '' });
  assert.deepEqual(
    shown.questions.map(({ key, type }: Json) => [key, type]),
    [
      ['NAME', 'TEXT'],
      ['EMAIL', 'TEXT'],
      ['plan', 'SELECT'],
    ],
  );
  const visitor = await visit(platform, asking);
  const post = async (answers: Json) =>
    (await visitor.call(400, 'POST', '/messages', { body: { client_id: randomUUID(), content: 'Hi', answers } })).body;
  for (const [answers, path] of [
    [{ plan: 'gold' }, 'answers.NAME'],
    [{ NAME: 'Eva', plan: 'silver' }, 'answers.plan'],
    [{ NAME: 'Eva', plan: 'gold', EMAIL: 'nothing' }, 'answers.EMAIL'],
    [{ NAME: 'Eva', plan: 'gold', shoe: 42 }, 'answers.shoe'],
  ])
    assert.equal((await post(answers)).errors[0].path, path);
  assert.equal((await visitor.list()).result.length, 0);
  const answers = { NAME: 'Eva', plan: 'gold', EMAIL: 'carla@example.test' };
  const contact = await contactOf(await visitor.write('Hi', { answers }));
  assert.deepEqual([contact.name, contact.email, contact.custom_fields[0].value], ['Eva', null, 'gold']);
  const [form] = (await visitor.list()).result;
  assert.deepEqual(
    [form.contentType, form.content],
    ['INTERACTIVE', 'Name: Eva\nE-mail: carla@example.test\nPlan: gold'],
  );
});

test('settings that make no sense together are refused by their path', async () => {
  const post = async (web_config: Json) =>
    (await call(400, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Shop', web_config } })).body.errors[0]
      .path;
  const hours = { time_zone: 'America/Sao_Paulo', days: [{ day: 'MON', from: '09:00', to: '18:00' }], away_text: null };
  for (const [config, path] of [
    [{ identity_secret: 'too short' }, 'identity_secret'],
    [{ identity_required: true }, 'identity_secret'],
    [{ questions: [{ kind: 'CUSTOM_FIELD', required: true }] }, 'questions[0].slug'],
    [{ questions: [{ kind: 'CUSTOM_FIELD', slug: 'unheard_of', required: true }] }, 'questions[0].slug'],
    [
      {
        questions: [
          { kind: 'NAME', required: true },
          { kind: 'NAME', required: false },
        ],
      },
      'questions[1]',
    ],
    [{ office_hours: { ...hours, time_zone: 'Moon/Crater' } }, 'office_hours.time_zone'],
    [{ office_hours: { ...hours, days: [{ day: 'MON', from: '18:00', to: '09:00' }] } }, 'office_hours.days[0].to'],
    [{ allowed_origins: ['https://shop.example/path'] }, 'allowed_origins[0]'],
    [{ color: 'blue' }, 'color'],
    [{ surprise: 1 }, 'surprise'],
  ] as const)
    assert.equal(await post(config), `web_config.${path}`);
});
