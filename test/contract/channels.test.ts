/** The requirements that every channel has to meet. A new channel is tested as soon as it has a line in the registry. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import type { ContentType } from '../../src/channels/content.ts';
import type { Person } from '../../src/channels/identity.ts';
import type { OutboundFile } from '../../src/channels/media.ts';
import { CHANNEL_NAMES, type NamedChannel } from '../../src/channels/registry.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();
const { channels } = platform.running.kit;

/** The channel's settings, or null when a request body cannot set them. */
const writableSettings = ({ settings }: NamedChannel) => (settings?.body ? settings : null);

function inboxBody(channel: NamedChannel, given?: Json): Json {
  const settings = writableSettings(channel);
  return {
    channel: channel.name,
    name: `A ${channel.name}`,
    ...(channel.needsNumber ? { number: channel.samples.number } : {}),
    ...(settings ? { [settings.field]: given ?? settings.sample } : {}),
  };
}

const post = async (status: number, body: Json): Promise<Json> =>
  (await platform.call(status, 'POST', '/v1/inboxes', { body })).body;
const close = (id: string): Promise<unknown> =>
  platform.call(200, 'PUT', `/v1/inboxes/${id}`, { body: { status: 'DELETED' } });

test('the registry has each channel of the API description once, and finds it by name', () => {
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
  const fields = channels.all().flatMap(({ settings }) => settings?.field ?? []);
  assert.equal(new Set(fields).size, fields.length);
});

/**
 * The function that a channel must have for each of its abilities; null for an ability that needs no function. The type makes sure that no
 * ability is missing.
 */
const ABILITIES: { [ability in keyof NamedChannel['can']]: keyof NamedChannel | null } = {
  content: 'send',
  maxText: null,
  replyButtons: null,
  marks: null,
  showsAuthors: null,
  media: null,
  markRead: 'markRead',
  typing: 'showTyping',
  revoke: 'revoke',
  keepsReactions: null,
  templates: 'templates',
  threads: null,
  subjects: null,
  unsubscribe: null,
  echoesSends: null,
  paced: 'readPace',
  window24h: null,
  reportsFailures: 'failureText',
};

const isDeclared = (ability: unknown): boolean => (Array.isArray(ability) ? ability.length > 0 : ability === true);

/** The content types that have a file. */
const WITH_FILE: readonly ContentType[] = ['IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER'];

/** A small file that fits a content type of the channel; null for a content type without a file. */
function sampleFile({ can, uploadFile }: NamedChannel, contentType: ContentType): OutboundFile | null {
  const format = can.media.find((each) => each.contentType === contentType);
  if (!format) return null;
  return {
    mimeType: format.mimeTypes?.[0] ?? 'application/pdf',
    fileName: 'sample',
    bytes: 3,
    url: 'https://files.example.test/sample',
    voice: false,
    networkId: uploadFile ? '4490709327384033' : null,
    open: () => Promise.resolve(Readable.from(['abc'])),
  };
}

/** Returns the function that reads callbacks to an inbox with the channel's sample settings; null when the network sends no callbacks. */
function findParser({ callbacks, inboxCallbacks, settings }: NamedChannel) {
  if (inboxCallbacks) return (body: unknown) => inboxCallbacks.parse(body, settings?.sample ?? {}, null);
  return callbacks?.parse ?? null;
}

/** JSON that no network sends. */
const JUNK = [null, true, 7, '', [], {}, [[]], { entry: [{}] }, { message: { from: [] } }];

test('a kind of identity that several channels declare under the same name is one kind', () => {
  const kinds = channels.all().flatMap(({ identities }) => identities);
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  for (const kind of kinds) assert.equal(byName.get(kind.kind), kind);
});

for (const channel of channels.all()) {
  const settings = writableSettings(channel);
  const parse = findParser(channel);

  test(`${channel.name}: its declared abilities match its functions`, () => {
    for (const [ability, name] of Object.entries(ABILITIES)) {
      const { [ability as keyof typeof ABILITIES]: declared } = channel.can;
      if (name) assert.equal(isDeclared(declared), channel[name] !== undefined, `${ability} and ${name}`);
    }
    if (channel.send) assert.ok(channel.check, 'a channel that sends can tell whether its credentials work');
    assert.equal(channel.fetchItems === undefined, channel.translate === undefined, 'what is fetched is translated');
    if (channel.watchItems) assert.ok(channel.fetchItems, 'what a watch reports is fetched');
    const brings = Boolean(channel.pushedItems ?? channel.inboxCallbacks?.mayCarryFiles);
    assert.equal(
      brings,
      channel.extractFile !== undefined,
      'a file that comes with its message is taken out of what brought it',
    );
    if (channel.failureText) assert.match(channel.failureText('never heard of'), /\S/);
    const sample = { config: channel.settings?.sample ?? {}, verifyToken: 'a-token' };
    assert.equal(channel.callbacks?.beginCheck({}) ?? null, null, 'an unsigned callback is refused');
    assert.equal(channel.inboxCallbacks?.beginCheck({}, sample) ?? null, null, 'an unsigned callback is refused');
  });

  test(`${channel.name}: a name that a caller writes has one value, also in the form to which messages are sent`, () => {
    for (const { kind, writing, sample, identify } of channel.identities) {
      assert.match(sample, writing, kind);
      const identity = identify(sample);
      assert.deepEqual(identify(identity.address), identity, kind);
    }
  });

  test(`${channel.name}: it has a sample of each content that it sends, and each send ends in an outcome`, async () => {
    const { samples, send, identities } = channel;
    assert.deepEqual(samples.contents.map(({ contentType }) => contentType).toSorted(), channel.can.content.toSorted());
    for (const content of samples.contents) {
      for (const { sample, identify } of identities) {
        const message = {
          messageId: '65f0a1b2c3d4e5f60718293a',
          to: { names: [identify(sample)] },
          content,
          file: sampleFile(channel, content.contentType),
          replyTo: null,
        };
        const result = await send?.(message, channel.settings?.sample ?? {}, AbortSignal.timeout(600_000));
        assert.ok(['accepted', 'rejected', 'unknown'].includes(result?.outcome ?? ''), content.contentType);
      }
    }
  });

  test(`${channel.name}: it has limits for the files of each content that it sends, and an upload ends in an outcome`, async () => {
    const { can, uploadFile, settings: declared } = channel;
    const sent = can.content.filter((contentType) => WITH_FILE.includes(contentType));
    assert.deepEqual(can.media.map(({ contentType }) => contentType).toSorted(), sent.toSorted());
    for (const { contentType, mimeTypes, maxBytes, maxCaption } of can.media) {
      assert.ok(maxBytes > 0 && (maxCaption ?? 0) >= 0 && mimeTypes?.length !== 0, contentType);
      const file = sampleFile(channel, contentType);
      assert.ok(file);
      const result = await uploadFile?.(file, declared?.sample ?? {}, AbortSignal.timeout(600_000));
      if (uploadFile) assert.ok(['uploaded', 'failed'].includes(result?.outcome ?? ''), contentType);
    }
  });

  const { fetchItems, translate } = channel;
  if (fetchItems && translate) {
    test(`${channel.name}: a fetch from a server that does not answer fails, and bytes that nobody sends end in elements or an error`, async () => {
      const fetched = await fetchItems(
        channel.settings?.sample ?? {},
        { company: 'a-company', position: null, start: null },
        AbortSignal.timeout(600_000),
      );
      assert.equal(fetched.outcome, 'failed');
      for (const raw of ['', '\0'.repeat(100), ': : :\r\n\r\n', '{}']) {
        const item = {
          reference: '1',
          receivedAt: null,
          isCut: false,
          address: 'a',
          recipient: 'a',
          raw: Readable.from([Buffer.from(raw)]),
        };
        await translate(item).catch((error: unknown) => assert.ok(error instanceof Error));
      }
    });
  }

  if (parse) {
    test(`${channel.name}: its sample callbacks are about its inbox, and name people by the kinds that it declares`, () => {
      const kinds = channel.identities.map(({ kind }) => kind);
      const checkPerson = ({ names }: Person): void => {
        assert.ok(names.length > 0);
        for (const { kind, value, address } of names) assert.ok(kinds.includes(kind) && value && address, kind);
      };
      assert.ok(channel.samples.callbacks.length > 0);
      for (const element of channel.samples.callbacks.flatMap((body) => [...parse(body)])) {
        assert.ok(element && element.kind !== 'unreadable');
        if ('address' in element) assert.equal(element.address, channel.settings?.address?.(channel.settings.sample));
        if ('person' in element) checkPerson(element.person);
        if ('renamed' in element && element.renamed) checkPerson(element.renamed);
      }
    });

    test(`${channel.name}: JSON that its network never sends is parsed without an error`, () => {
      for (const body of JUNK)
        for (const element of parse(body)) assert.equal(element?.kind ?? 'unreadable', 'unreadable');
    });
  }

  if (channel.settings) {
    const { body, record, secrets, sample, address, targets } = channel.settings;

    test(`${channel.name}: its settings are objects of known properties, which include its secrets`, () => {
      if (body) assert.equal((body as Json)['additionalProperties'], false);
      for (const name of [...secrets, ...Object.keys(sample)]) {
        assert.ok(name in record.properties, name);
        if (body) assert.ok(name in body.properties, name);
      }
      assert.ok(Value.Check(body ?? record, sample), 'the sample');
    });

    test(`${channel.name}: its address and targets depend only on the settings, and contain no secret`, () => {
      const written = address?.(sample) ?? "the inbox's own id";
      assert.match(written, /\S/);
      assert.equal(address?.({ ...sample }) ?? written, written);
      for (const { path, url } of targets(sample)) {
        assert.equal(sample[path], url);
        assert.ok(URL.canParse(url));
      }
      for (const secret of secrets) {
        const shown = `${written}${JSON.stringify(targets(sample))}`;
        assert.ok(!shown.includes(String(sample[secret])), `${secret} leaves in the clear`);
      }
    });
  }

  test(`${channel.name}: an inbox can be created and read, with its secrets masked`, async () => {
    const created = await post(201, inboxBody(channel));
    const { body: read } = await platform.call(200, 'GET', `/v1/inboxes/${created._id}`);
    assert.deepEqual(read, created);
    assert.equal(read.channel, channel.name);
    const [row] = await platform.database.sql<{ kept: string }>(
      'select row_to_json(i)::text as kept from inboxes i where _id = $1',
      [created._id],
    );
    for (const secret of settings?.secrets ?? []) {
      const value = String(settings?.sample[secret]);
      assert.equal(read[settings?.field ?? ''][secret], `••••${value.slice(-4)}`);
      assert.ok(!row?.kept.includes(value), `${secret} lies open in the store`);
    }
    await close(created._id);
  });

  test(`${channel.name}: an address that the network has accepted belongs to one ACTIVE inbox of the installation`, async () => {
    const body = inboxBody(channel);
    const first = await post(201, body);
    const second = await post(201, body);
    await platform.database.sql(
      `update inboxes set accepted_at = now(), connection_status = 'CONNECTED' where _id = $1`,
      [first._id],
    );
    const isShared = Boolean(settings?.address);
    const third = await platform.call(isShared ? 409 : 201, 'POST', '/v1/inboxes', { body });
    if (isShared) assert.equal(third.body.code, 'CHANNEL_IN_USE');
    else await close(third.body._id);
    for (const { _id } of [first, second]) await close(_id);
  });

  if (!settings) {
    test(`${channel.name}: settings that a body may not set answer 400 with their path`, async () => {
      const foreign = { ...inboxBody(channel), professional_network_config: { account_id: 'a' } };
      assert.equal((await post(400, foreign)).errors[0].path, 'professional_network_config');
    });
    continue;
  }
  const { field, sample } = settings;

  test(`${channel.name}: a mask that is sent back keeps the stored secret`, async () => {
    const created = await post(201, inboxBody(channel));
    const { body: kept } = await platform.call(200, 'PUT', `/v1/inboxes/${created._id}`, {
      body: { [field]: created[field] },
    });
    assert.deepEqual(kept[field], created[field]);
    await close(created._id);
  });

  test(`${channel.name}: settings that its schema does not accept answer 400 with their path`, async () => {
    assert.equal((await post(400, inboxBody(channel, { ...sample, surprise: 1 }))).errors[0].path, `${field}.surprise`);
    for (const name of settings.body?.required ?? []) {
      const { [name]: _left, ...rest } = sample;
      assert.equal((await post(400, inboxBody(channel, rest))).errors[0].path, `${field}.${name}`);
      for (const wrong of ['', 7, null, ['x']]) {
        const { errors } = await post(400, inboxBody(channel, { ...sample, [name]: wrong }));
        assert.equal(errors[0].path, `${field}.${name}`, JSON.stringify(wrong));
      }
    }
    const { [field]: _settings, ...without } = inboxBody(channel);
    if (settings.initial) await close((await post(201, without))._id);
    else assert.equal((await post(400, without)).code, 'CHANNEL_CONFIG_REQUIRED');
    const { number: _number, ...numberless } = inboxBody(channel);
    if (channel.needsNumber) assert.equal((await post(400, numberless)).code, 'CHANNEL_CONFIG_REQUIRED');
  });

  test(`${channel.name}: an address in the settings that may not be called is refused when it is saved`, async () => {
    for (const { path } of settings.targets(sample)) {
      for (const url of ['http://169.254.169.254/', 'http://10.0.0.1:80', 'ftp://example.test', 'nonsense']) {
        const { errors } = await post(400, inboxBody(channel, { ...sample, [path]: url }));
        assert.equal(errors[0].path, `${field}.${path}`, url);
      }
    }
  });
}
