/** What every channel of the registry owes the platform. A new channel is checked by its line in the registry alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_NAMES, type Channel } from '../../src/channels/channel.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
const { channels } = platform.running.kit;
/** Fields of the inbox that carry a channel's settings and that a caller may write. */
const WRITABLE = ['api_wap_config', 'partner_api_config'];

/** A value that the channel's own schema accepts, made from the schema. */
function example(channel: Channel): Json {
  const { properties = {}, required = [] } = channel.config as { properties?: Json; required?: string[] };
  const names = [...new Set([...required, ...channel.secrets])];
  return Object.fromEntries(
    names.map((name) => {
      const isAddress = name.endsWith('url');
      assert.ok(properties[name], `${channel.name}: the schema knows ${name}`);
      return [name, isAddress ? 'http://127.0.0.1:9/gateway' : `value-of-${name}-1234`];
    }),
  );
}

function inboxBody(channel: Channel, settings: Json = example(channel)): Json {
  const carries = channel.configField !== null && WRITABLE.includes(channel.configField);
  return {
    channel: channel.name,
    name: `A ${channel.name}`,
    ...(channel.needsNumber ? { number: '+551133334444' } : {}),
    ...(carries && channel.configField ? { [channel.configField]: settings } : {}),
  };
}

const post = async (status: number, body: Json): Promise<Json> =>
  (await platform.call(status, 'POST', '/v1/inboxes', { body })).body;
const close = (id: string): Promise<unknown> =>
  platform.call(200, 'PUT', `/v1/inboxes/${id}`, { body: { status: 'DELETED' } });

test('the registry has each channel of the description once, and finds it by its name', () => {
  assert.deepEqual(
    channels
      .all()
      .map((channel) => channel.name)
      .toSorted(),
    [...CHANNEL_NAMES].toSorted(),
  );
  for (const channel of channels.all()) assert.equal(channels.get(channel.name), channel);
});

test('no two channels keep their settings in the same field', () => {
  const fields = channels.all().flatMap((channel) => channel.configField ?? []);
  assert.equal(new Set(fields).size, fields.length);
});

for (const channel of channels.all()) {
  const carries = channel.configField !== null && WRITABLE.includes(channel.configField);

  test(`${channel.name}: says only what it can do`, () => {
    const { can } = channel;
    assert.deepEqual(Object.keys(can).toSorted(), ['markRead', 'reportsFailures', 'text', 'window24h']);
    assert.equal(can.text, channel.send !== undefined, 'text and send');
    assert.equal(can.markRead, channel.markRead !== undefined, 'markRead');
    assert.equal(can.reportsFailures, channel.failureText !== undefined, 'reportsFailures and failureText');
    if (channel.send) assert.ok(channel.check, 'a channel that sends can tell whether its credentials work');
    if (channel.failureText) assert.match(channel.failureText('never heard of'), /\S/);
  });

  test(`${channel.name}: its settings are an object whose every field is named, and secrets are among them`, () => {
    const { type, properties, additionalProperties } = channel.config as unknown as Json;
    assert.equal(type, 'object');
    if (channel.configField === null) assert.deepEqual(properties, {});
    else assert.equal(additionalProperties, false);
    for (const secret of channel.secrets) assert.ok(secret in properties, secret);
  });

  test(`${channel.name}: its address and targets follow from the settings alone, and no secret is in them`, () => {
    const settings = example(channel);
    const address = channel.address(settings);
    assert.equal(channel.address({ ...settings }), address);
    assert.equal(address === null, channel.configField === null);
    const targets = channel.targets(settings);
    for (const { path, url } of targets) {
      assert.equal(settings[path], url);
      assert.ok(URL.canParse(url));
    }
    for (const secret of channel.secrets) {
      assert.ok(!`${address}${JSON.stringify(targets)}`.includes(settings[secret]), `${secret} leaves in the clear`);
    }
  });

  test(`${channel.name}: an inbox is created, read and kept with its secrets masked`, async () => {
    const body = inboxBody(channel);
    const created = await post(201, body);
    const { body: read } = await platform.call(200, 'GET', `/v1/inboxes/${created._id}`);
    assert.deepEqual(read, created);
    assert.equal(read.channel, channel.name);
    const [row] = await platform.database.sql<{ kept: string }>(
      'select row_to_json(i)::text as kept from inboxes i where _id = $1',
      [created._id],
    );
    for (const secret of carries ? channel.secrets : []) {
      const value = body[channel.configField ?? ''][secret];
      assert.equal(read[channel.configField ?? ''][secret], '••••1234');
      assert.ok(!row?.kept.includes(value), `${secret} lies open in the store`);
    }
    await close(created._id);
  });

  test(`${channel.name}: the mask sent back keeps the stored secret`, async () => {
    const body = inboxBody(channel);
    const created = await post(201, body);
    const field = channel.configField ?? '';
    if (carries) {
      const { body: kept } = await platform.call(200, 'PUT', `/v1/inboxes/${created._id}`, {
        body: { [field]: created[field] },
      });
      assert.deepEqual(kept[field], created[field]);
    }
    await close(created._id);
  });

  test(`${channel.name}: one address belongs to one ACTIVE inbox of the installation, once the network has accepted it`, async () => {
    const body = inboxBody(channel);
    const first = await post(201, body);
    const second = await post(201, body);
    await platform.database.sql(
      `update inboxes set accepted_at = now(), connection_status = 'CONNECTED' where _id = $1`,
      [first._id],
    );
    const third = await platform.call(carries ? 409 : 201, 'POST', '/v1/inboxes', { body });
    if (carries) assert.equal(third.body.code, 'CHANNEL_IN_USE');
    else await close(third.body._id);
    for (const { _id } of [first, second]) await close(_id);
  });

  test(`${channel.name}: settings that its schema does not accept are 400 with their path`, async () => {
    const field = channel.configField ?? '';
    if (!carries) {
      // Settings of another channel, or of one that is connected by the network itself, are no body's to give.
      const foreign = { ...inboxBody(channel), professional_network_config: { account_id: 'a' } };
      assert.equal((await post(400, foreign)).errors[0].path, 'professional_network_config');
      return;
    }
    const good = example(channel);
    assert.equal((await post(400, inboxBody(channel, { ...good, surprise: 1 }))).errors[0].path, `${field}.surprise`);
    const { required } = channel.config as unknown as { required: string[] };
    for (const name of required) {
      const { [name]: _left, ...rest } = good;
      assert.equal((await post(400, inboxBody(channel, rest))).errors[0].path, `${field}.${name}`);
      for (const wrong of ['', 7, null, ['x']]) {
        const { errors } = await post(400, inboxBody(channel, { ...good, [name]: wrong }));
        assert.equal(errors[0].path, `${field}.${name}`, JSON.stringify(wrong));
      }
    }
    const { [field]: _settings, ...without } = inboxBody(channel);
    assert.equal((await post(400, without)).code, 'CHANNEL_CONFIG_REQUIRED');
    const { number: _number, ...numberless } = inboxBody(channel);
    if (channel.needsNumber) assert.equal((await post(400, numberless)).code, 'CHANNEL_CONFIG_REQUIRED');
  });

  test(`${channel.name}: an address inside the settings that may not be called is refused at save`, async () => {
    for (const { path } of channel.targets(example(channel))) {
      for (const url of ['http://169.254.169.254/', 'http://10.0.0.1:80', 'ftp://example.test', 'nonsense']) {
        const { errors } = await post(400, inboxBody(channel, { ...example(channel), [path]: url }));
        assert.equal(errors[0].path, `${channel.configField}.${path}`, url);
      }
    }
  });
}
