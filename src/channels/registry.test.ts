/** What channels are given of the operator's settings. test/contract/new-channel.test.ts proves it for a channel that is added. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openOutside } from '../../test/support/outside.ts';
import { optional } from '../platform/values/setting-kinds.ts';
import { declareChannel, SILENT } from './channel.ts';
import { createChannels, readEnvironment } from './registry.ts';

const outside = openOutside({ after });

const environment = { settings: { CLUB_KEY: optional, CLUB_NAME: optional } };

test('a channel is given its own settings, those of the sandbox where the operator has set none, and none of another channel', () => {
  const operator = { CLUB_KEY: 'ours', WAP_APP_SECRET: 'of another network' };
  const sandbox = { CLUB_KEY: 'of the sandbox', CLUB_NAME: 'Sandbox', NETWORK_API_KEY: 'of another network' };
  assert.deepEqual(readEnvironment(environment, operator, sandbox), { CLUB_KEY: 'ours', CLUB_NAME: 'Sandbox' });
  assert.deepEqual(readEnvironment(environment, operator, {}), { CLUB_KEY: 'ours', CLUB_NAME: null });
  assert.deepEqual(readEnvironment(undefined, operator, sandbox), {});
});

test('a channel that reads a setting of another one, or one that it has not declared, does not compile', () => {
  const club = declareChannel({
    ...SILENT,
    name: 'CLUB',
    environment,
    open: (network) => {
      assert.equal(network.environment.CLUB_KEY, 'ours');
      // @ts-expect-error The setting belongs to another channel.
      assert.equal(network.environment.WAP_APP_SECRET, undefined);
      return {};
    },
  });
  const silent = declareChannel({
    ...SILENT,
    name: 'SILENT',
    open: (network) => {
      // @ts-expect-error The channel has declared no settings.
      assert.equal(network.environment.CLUB_KEY, undefined);
      return {};
    },
  });
  club.open?.({ environment: { CLUB_KEY: 'ours', CLUB_NAME: null }, ...outside });
  silent.open?.({ environment: {}, ...outside });
});

test('settings of a channel that belong together are refused while some are missing, also while the sandbox has all of them', () => {
  const whole = {
    NETWORK_API_URL: 'https://gateway.example',
    NETWORK_API_KEY: 'hunter2',
    NETWORK_HOOK_SECRET: 'hunter3',
  };
  const open = (variables: Record<string, string>, sandbox = {}) => createChannels({ variables, sandbox, ...outside });
  for (const name of Object.keys(whole)) {
    const variables = Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name));
    assert.throws(
      () => open(variables, whole),
      ({ message }: Error) => message.startsWith(`${name} must be set: `) && !message.includes('hunter'),
    );
  }
  const findMissing = (...given: Parameters<typeof open>) => open(...given).get('PROFESSIONAL_NETWORK').logIn?.missing;
  assert.match(findMissing({}) ?? '', /NETWORK_API_URL/);
  for (const channels of [findMissing(whole), findMissing({}, whole)]) assert.equal(channels, null);
});

test('a number sends as many templates a second as the operator says, 80 by default, and 20 at most where an app shares it', () => {
  const read = (variables: Record<string, string>) => {
    const channels = createChannels({ variables, sandbox: {}, ...outside });
    return (['WAP_AUTO_CLOSER', 'PARTNER_API'] as const).map((name) =>
      [false, true].map((isShared) => channels.get(name).templates?.readThroughput(isShared)),
    );
  };
  for (const [given, own, shared] of [
    [{}, 80, 20],
    [{ NUMBER_THROUGHPUT: '12' }, 12, 12],
  ] as const)
    assert.deepEqual(read(given), [
      [own, shared],
      [own, shared],
    ]);
});
