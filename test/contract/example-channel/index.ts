/**
 * A channel for tests. new-channel.test.ts copies the project, adds this folder to the copy's channels, and lists the channel in the copy's
 * registry. Its network is a gateway that calls each inbox at a path of its own, and that knows people by the number of their membership.
 */
import { Type, type Static } from 'typebox';
import {
  declareChannel,
  SILENT,
  type ChannelNetwork,
  type Inbound,
  type NetworkAccess,
} from '../../../src/channels/channel.ts';
import type { CheckResult } from '../../../src/channels/check.ts';
import { declareIdentity, EMAIL_ADDRESS } from '../../../src/channels/identity.ts';
import type { ChannelSettings } from '../../../src/channels/settings.ts';
import { strict } from '../../../src/platform/values/schema.ts';
import { optional } from '../../../src/platform/values/setting-kinds.ts';
import { isSameSecret } from '../../../src/platform/store/secrets.ts';

const body = strict({
  gateway_url: Type.String({ minLength: 1, maxLength: 2_048 }),
  account: Type.String({ minLength: 1, maxLength: 100 }),
  password: Type.String({ minLength: 1, maxLength: 100 }),
});
type ExampleConfig = Static<typeof body>;

const findAddress = (config: ExampleConfig): string => `${config.gateway_url}#${config.account}`;

const settings: ChannelSettings<ExampleConfig> = {
  field: 'example_config',
  body,
  record: Type.Object({
    gateway_url: Type.String(),
    account: Type.String(),
    password: Type.String({ description: 'Masked' }),
  }),
  secrets: ['password'],
  address: findAddress,
  account: () => null,
  targets: (config) => [{ path: 'gateway_url', url: config.gateway_url }],
  sample: { gateway_url: 'http://127.0.0.1:9/gateway', account: 'club', password: 'a-password-of-the-club' },
};

const MEMBER = declareIdentity({ kind: 'MEMBER', writing: /^#\d+$/, sample: '#4711' });

/** A callback of the gateway: messages of members. */
interface Notification {
  messages: { id: string; at: string; member: string; email?: string; name: string; text: string; account?: string }[];
}

function* parse(notification: unknown, config: ExampleConfig): Generator<Inbound> {
  const { messages } = (notification ?? {}) as Partial<Notification>;
  if (!Array.isArray(messages)) {
    yield { kind: 'unreadable', address: null, reason: 'no messages', raw: notification };
    return;
  }
  for (const { id, at, member, email, name, text, account = config.account } of messages) {
    yield {
      kind: 'message',
      address: findAddress({ ...config, account }),
      timestamp: new Date(at),
      externalId: id,
      origin: 'live',
      fromBusiness: false,
      system: false,
      person: {
        names: [MEMBER.identify(member), ...(email === undefined ? [] : [EMAIL_ADDRESS.identify(email)])],
        displayName: name,
      },
      replyTo: null,
      referral: null,
      forwarded: null,
      errors: [],
      historyStatus: null,
      renamed: null,
      contentType: 'TEXT',
      content: text,
    };
  }
}

/** What the operator sets. */
const environment = { settings: { EXAMPLE_LEAGUE: optional } };

/** The gateway is given the address and the token of the inbox, and shows the token in each call. It is told all settings of the operator. */
function openNetwork({
  environment: operator,
  outbound,
}: NetworkAccess<typeof environment.settings>): ChannelNetwork<ExampleConfig> {
  return {
    check: async ({ gateway_url: url, password }, signal, callback): Promise<CheckResult> => {
      const headers = { 'content-type': 'application/json' };
      const request = {
        method: 'POST' as const,
        url,
        headers,
        body: JSON.stringify({ password, callback, operator }),
        signal,
      };
      try {
        const { status } = await outbound.tenant({ ...request, maxBytes: 1_024 });
        return status === 200
          ? { ok: true, coexistence: null }
          : { ok: false, error: 'The gateway refused.', retry: false };
      } catch {
        // Failure policy: the gateway cannot be reached, so the check is tried again later.
        return { ok: false, error: 'The gateway did not answer.', retry: true };
      }
    },
    inboxCallbacks: {
      path: '/hooks/example',
      beginCheck: ({ 'x-hook-secret': secret }, { verifyToken }) =>
        typeof secret === 'string' ? { add: () => undefined, holds: () => isSameSecret(secret, verifyToken) } : null,
      parse,
    },
  };
}

export const exampleChannel = declareChannel({
  ...SILENT,
  name: 'EXAMPLE',
  environment,
  settings,
  identities: [MEMBER, EMAIL_ADDRESS],
  samples: {
    ...SILENT.samples,
    callbacks: [{ messages: [{ id: 'm1', at: '2026-06-15T12:00:00Z', member: '#4711', name: 'Ana', text: 'Oi' }] }],
  },
  open: openNetwork,
});
