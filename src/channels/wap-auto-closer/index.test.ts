import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { Value } from 'typebox/value';
import { openOutside } from '../../../test/support/outside.ts';
import type { Callbacks } from '../called.ts';
import type { Inbound } from '../channel.ts';
import { wapAutoCloserChannel } from './index.ts';
import { wapSettings } from './settings.ts';

const { outbound, callers } = openOutside({ after });
const open = (appSecret: string | null, graphUrl = 'http://127.0.0.1:9'): Callbacks<Inbound> => {
  const environment = {
    WAP_GRAPH_URL: graphUrl,
    WAP_APP_SECRET: appSecret,
    WAP_VERIFY_TOKEN: null,
    NUMBER_THROUGHPUT: 80,
  };
  const { callbacks } = wapAutoCloserChannel.open?.({ environment, outbound, callers }) ?? {};
  assert.ok(callbacks);
  return callbacks;
};
const callbacks = open('app-secret-1');

/** A body with the escapes of the network, which JSON.stringify does not produce. */
const raw = Buffer.from('{"object":"whatsapp_business_account","entry":[], "note":"ol\\u00e1 \\/ tudo"}');
const digest = createHmac('sha256', 'app-secret-1').update(raw).digest('hex');

/** Checks a signature and passes the bytes in two pieces, as they may arrive. */
function isSigned(translator: Callbacks<Inbound>, bytes: Buffer, signature: string | undefined): boolean {
  const check = translator.beginCheck({ 'x-hub-signature-256': signature });
  check?.add(bytes.subarray(0, 5));
  check?.add(bytes.subarray(5));
  return check?.holds() ?? false;
}

test('a callback whose signature covers its raw bytes is accepted', () => {
  assert.equal(isSigned(callbacks, raw, `sha256=${digest}`), true);
  assert.equal(isSigned(callbacks, raw, `sha256=${digest.toUpperCase()}`), true);
  assert.equal(
    isSigned(
      callbacks,
      Buffer.from([0xff, 0x00]),
      `sha256=${createHmac('sha256', 'app-secret-1')
        .update(Buffer.from([0xff, 0x00]))
        .digest('hex')}`,
    ),
    true,
  );
});

test('a callback signature is refused after one changed byte, with another secret, and for a re-serialised body', () => {
  const reserialised = Buffer.from(JSON.stringify(JSON.parse(raw.toString())));
  const foreign = createHmac('sha256', 'app-secret-2').update(raw).digest('hex');
  assert.equal(isSigned(callbacks, Buffer.concat([raw, Buffer.from(' ')]), `sha256=${digest}`), false);
  assert.equal(isSigned(callbacks, reserialised, `sha256=${digest}`), false);
  assert.equal(isSigned(callbacks, raw, `sha256=${foreign}`), false);
});

test('a malformed or missing callback signature is refused; without an app secret every signature is refused', () => {
  const malformed = [
    undefined,
    '',
    digest,
    `sha1=${digest}`,
    `sha256=${digest}0`,
    `sha256=${digest.slice(2)}`,
    `sha256=${'z'.repeat(64)}`,
    ` sha256=${digest}`,
    `sha256=${digest}\n`,
  ];
  for (const signature of malformed) assert.equal(isSigned(callbacks, raw, signature), false, String(signature));
  for (const secret of [null, '']) {
    const empty = createHmac('sha256', '').update(raw).digest('hex');
    assert.equal(isSigned(open(secret), raw, `sha256=${empty}`), false);
    assert.equal(isSigned(open(secret), raw, `sha256=${digest}`), false);
  }
});

test('the settings of a WhatsApp inbox need three ids of visible characters; the token is optional', () => {
  const good = { phone_number_id: '618822003344771', business_id: '12', waba_id: '730011223344556' };
  const { body } = wapSettings;
  assert.ok(body);
  const accepts = (config: unknown) => Value.Check(body, config);
  for (const token of [{}, { business_token: null }, { business_token: 'EAAG' }])
    assert.ok(accepts({ ...good, ...token }));
  const bad = ['', ' ', 'a b', 'ã', '..', '.', 'x'.repeat(65), 7, null];
  for (const id of bad) assert.equal(accepts({ ...good, phone_number_id: id }), false, String(id));
  assert.equal(accepts({ ...good, business_token: 'x'.repeat(4097) }), false);
  assert.equal(accepts({ ...good, extra: 1 }), false);
  assert.equal(accepts({ phone_number_id: '1', waba_id: '2' }), false);
});

test('the network address of a WhatsApp inbox is its phone number id, and its settings contain no URL to call', () => {
  const config = { phone_number_id: '618822003344771', business_id: '12', waba_id: '730011223344556' };
  assert.equal(wapSettings.address?.(config), '618822003344771');
  assert.deepEqual(wapSettings.targets(config), []);
});

test('a WAP_GRAPH_URL that is no URL is refused when the channel is opened', () => {
  assert.throws(() => open(null, 'graph'));
});
