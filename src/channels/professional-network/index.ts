/** LinkedIn through a Unipile server (version 1), which the operator rents. An account comes from a log-in at the gateway's own page. */
import { declareChannel, SILENT, type ChannelNetwork, type NetworkAccess } from '../channel.ts';
import { NETWORK_ID } from '../identity.ts';
import type { SendingPace } from '../limits.ts';
import { isSameSecret } from '../../platform/store/secrets.ts';
import { checkAccount, findAccount as readAccount, makeLink, readNotice, SECRET_HEADER } from './account.ts';
import { networkEnvironment, readGateway, type NetworkSettings } from './environment.ts';
import { fetchFile } from './fetch-file.ts';
import { isOverload, NO_GATEWAY, refusesCredentials } from './gateway.ts';
import { NETWORK_MEDIA } from './media.ts';
import { findAccount, parseEvent } from './parse.ts';
import { CHAT_NAME } from './person.ts';
import { networkSamples } from './samples.ts';
import { markRead, sendMessage } from './send.ts';
import { professionalNetworkSettings, type NetworkConfig } from './settings.ts';
import { declareLimit, declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('NETWORK_SENDS_PER_DAY', {
  topic: 'Messages',
  what: 'LinkedIn messages per account',
  unit: 'perDay',
  beyond: 'FAILED',
});

export const professionalNetworkChannel = declareChannel<'PROFESSIONAL_NETWORK', NetworkConfig, NetworkSettings>({
  ...SILENT,
  name: 'PROFESSIONAL_NETWORK',
  environment: networkEnvironment,
  settings: professionalNetworkSettings,
  identities: [NETWORK_ID, CHAT_NAME],
  can: {
    ...SILENT.can,
    content: ['TEXT', 'REACTION', ...NETWORK_MEDIA.map(({ contentType }) => contentType)],
    keepsReactions: true,
    media: NETWORK_MEDIA,
    markRead: true,
    echoesSends: true,
    paced: true,
  },
  samples: networkSamples,
  open: openNetwork,
});

/** The gateway advises 10 to 20 seconds between messages. A few at once are what a person writes who answers in short messages. */
const PACE: Omit<SendingPace, 'account' | 'perDay'> = {
  burst: declareLimit(5, {
    topic: 'Messages',
    what: 'LinkedIn messages per account: without a pause',
    beyond: 'FAILED until 10 to 20 s have passed',
  }),
  gapSeconds: { least: 10, most: 20 },
};

function openNetwork({ environment, outbound }: NetworkAccess<NetworkSettings>): ChannelNetwork<NetworkConfig> {
  const network = { gateway: readGateway(environment), outbound };
  const secret = network.gateway?.hookSecret ?? null;
  return {
    check: (config, signal, callback) => checkAccount(network, { config, signal }, callback),
    logIn: {
      missing: network.gateway ? null : NO_GATEWAY,
      path: '/hooks/network/connected',
      makeLink: (request, signal) => makeLink(network, request, signal),
      readNotice,
      findAccount: (account, signal) => readAccount(network, account, signal),
    },
    send: (message, config, signal) => sendMessage(network, { message, config, signal }),
    markRead: (message, config, signal) => markRead(network, message, { config, signal }),
    fetchFile: (wanted, _config, signal) => fetchFile(network, wanted, signal),
    readPace: ({ account_id: account }) => ({ ...PACE, account, perDay: environment.NETWORK_SENDS_PER_DAY }),
    findOverload: (code) => (isOverload(code) ? 'account' : null),
    refusesCredentials,
    callbacks: {
      path: '/hooks/network',
      isTold: true,
      beginCheck: ({ [SECRET_HEADER]: shown }) =>
        typeof shown === 'string' ? { add: () => undefined, holds: () => isSameSecret(shown, secret) } : null,
      firstAddress: findAccount,
      parse: parseEvent,
    },
  };
}
