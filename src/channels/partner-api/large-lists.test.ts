/** Lists of templates from a gateway of someone else, which may be as long as the gateway likes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const makeTemplate = (n: number): Json => ({
  id: String(n),
  name: `template_${n}`,
  language: 'pt_BR',
  status: 'APPROVED',
  category: 'MARKETING',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Pedido {{1}}', example: { header_text: ['7'] } },
    { type: 'BODY', text: 'Olá {{1}}, "{{2}}" chega hoje.', example: { body_text: [['Ana', 'Bolo']] } },
    { type: 'FOOTER', text: 'Padaria' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Obrigada' },
        { type: 'QUICK_REPLY', text: 'Parar' },
      ],
    },
  ],
});

const THOUSAND = JSON.stringify(Array.from({ length: 1_000 }, (_, n) => makeTemplate(n)));
const ANSWERS: Record<string, string> = {
  '/instance/connectionState/shop': '{"instance":{"state":"open"}}',
  '/webhook/set/shop': '{}',
  '/instance/fetchInstances?instanceName=shop': '[{"name":"shop","integration":"WHATSAPP-BUSINESS"}]',
};
let list = THOUSAND;
let asked = 0;
const gateway = createServer(({ url = '' }, response) => {
  const isList = url === '/template/find/shop';
  if (isList) asked += 1;
  response.end(isList ? list : ANSWERS[url]);
}).listen(0, '127.0.0.1');
await once(gateway, 'listening');
after(() => {
  gateway.close();
  gateway.closeAllConnections();
});

const platform = await startPlatform();
const { call, database } = platform;
const base_url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
const { _id: inbox } = (
  await call(201, 'POST', '/v1/inboxes', {
    body: {
      channel: 'PARTNER_API',
      name: 'Shop',
      number: '+5585991239999',
      partner_api_config: { base_url, api_key: 'key', instance_name: 'shop' },
    },
  })
).body;
await waitUntilCopied(platform, inbox);
const path = `/v1/inboxes/${inbox}/templates`;
const count = async (): Promise<number> =>
  Number(
    (
      await database.sql<Json>(
        'select count(*) from templates t join template_catalogues c on c._id = t.catalogue_id join inboxes i on i.network_account = c.account where i._id = $1',
        [inbox],
      )
    )[0]?.['count'],
  );

test('a list of a thousand templates is copied', async () => {
  const { body } = await call(200, 'GET', `${path}?name=template_999`);
  assert.deepEqual([body.catalogue.error, body.result[0].components], [null, makeTemplate(999)['components']]);
  assert.equal(await count(), 1_000);
});

for (const [what, answer, words] of [
  [
    '16,000 templates',
    JSON.stringify(Array.from({ length: 16_000 }, (_, n) => ({ ...makeTemplate(n), components: [] }))),
    'The answer of the gateway has too many parts.',
  ],
  [
    '16,000 short templates',
    JSON.stringify(Array.from({ length: 16_000 }, (_, n) => ({ name: `t${n}`, language: 'pt' }))),
    'The list has more than 10000 templates.',
  ],
  ['a million brackets', '['.repeat(1_000_000), 'The answer of the gateway has too many parts.'],
  [
    '100,000 components',
    JSON.stringify([{ ...makeTemplate(1), components: Array.from({ length: 100_000 }, () => ({})) }]),
    'The answer of the gateway has too many parts.',
  ],
] as const)
  test(`a list with ${what} is not read: the catalogue says why, keeps its templates, and rests before the next try`, async () => {
    list = answer;
    const before = asked;
    await database.sql('update template_catalogues set is_waiting = true, error = null where held_until is null');
    const catalogue = await waitUntil('the error', async () => {
      const { body } = await call(200, 'GET', path);
      return body.catalogue.error !== null && body.catalogue;
    });
    assert.deepEqual([catalogue.error, await count(), asked - before], [words, 1_000, 1]);
  });
