/**
 * The inboxes of the demo company at the networks that the sandbox plays besides the phone and the shop: a mailbox, an account of the
 * professional network, and an instance of the gateway. The sandbox has all three at each of its starts.
 */
import type { ChannelName } from '../channels/registry.ts';
import { checkAddress, moveAddress } from '../features/inboxes/connection.ts';
import { storeInbox, takeSettings } from '../features/inboxes/inboxes.ts';
import type { Kit } from '../kit.ts';
import { getOwnProperty } from '../platform/values/own-property.ts';
import type { Tenant } from '../platform/store/tenant.ts';
import type { Sandbox } from './sandbox.ts';

type SandboxServers = Pick<Sandbox, 'url' | 'mail'>;

interface DemoNetwork {
  channel: ChannelName;
  name: string;
  number?: string;
  /** The property of the inbox that has the settings. */
  field: string;
  settings: Record<string, string>;
  /** The settings that depend on where the sandbox listens, and the form of the inbox's address wherever that is. */
  moves: { settings: string[]; from: string } | null;
  /** Whether an inbox gets its settings from a log-in at the network, and not from its creator. */
  isLoggedIn?: true;
}

const listNetworks = ({ url, mail }: SandboxServers): DemoNetwork[] => [
  {
    channel: 'EMAIL',
    name: 'Sandbox mail',
    field: 'email_config',
    settings: {
      address: 'hello@sandbox.example',
      from_name: 'Demo company',
      smtp_url: mail.smtp_url,
      imap_url: mail.imap_url,
      username: 'hello@sandbox.example',
      password: 'sandbox-password',
    },
    moves: { settings: ['smtp_url', 'imap_url'], from: String.raw`^hello@sandbox\.example 127\.0\.0\.1:\d+$` },
  },
  {
    channel: 'PROFESSIONAL_NETWORK',
    name: 'Sandbox LinkedIn',
    field: 'professional_network_config',
    settings: {
      account_id: 'acc_demo',
      provider: 'LINKEDIN',
      display_name: 'Demo company',
      profile_url: 'https://www.linkedin.com/in/demo-company',
      public_identifier: 'demo-company',
    },
    moves: null,
    isLoggedIn: true,
  },
  {
    channel: 'PARTNER_API',
    name: 'Sandbox partner',
    number: '+5511900000001',
    field: 'partner_api_config',
    settings: { base_url: `${url}/gateway`, api_key: 'sandbox-instance-key', instance_name: 'demo' },
    moves: { settings: ['base_url'], from: String.raw`^http://127\.0\.0\.1:\d+/gateway#demo$` },
  },
];

type InboxCreate = Parameters<typeof storeInbox>[2];

interface Demo {
  /** What all inboxes of the demo have. */
  more: Partial<InboxCreate>;
  /** The inbox that an earlier start made, which was cut off. */
  find(channel: ChannelName): Promise<{ _id: string } | null>;
}

/** Stores the inboxes that are not there yet. They are connected by beginDemoNetworks(), which calls the network. */
export async function storeDemoNetworks(
  kit: Kit,
  tenant: Tenant,
  sandbox: SandboxServers,
  { more, find }: Demo,
): Promise<void> {
  for (const { channel, name, number, field, settings, isLoggedIn } of listNetworks(sandbox)) {
    const found = await find(channel);
    const given = { channel, name, ...(number && { number }), ...(!isLoggedIn && { [field]: settings }), ...more };
    const { _id } = found ?? (await storeInbox(kit, tenant, given as InboxCreate));
    if (isLoggedIn && !(found && getOwnProperty<unknown>(found, field)))
      await tenant.tx((tx) => takeSettings(kit, tx, _id, settings));
  }
}

/** Tells the inboxes where the sandbox listens now. Those that the company has deleted or changed are left alone. */
export async function moveDemoNetworks(kit: Kit, sandbox: SandboxServers): Promise<void> {
  for (const { channel, field, settings, moves } of listNetworks(sandbox)) {
    if (!moves) continue;
    const changed = Object.fromEntries(moves.settings.map((name) => [name, getOwnProperty(settings, name)]));
    await moveAddress(
      kit,
      { channel, from: moves.from },
      { field, changed, address: findAddress(kit, channel, settings) },
    );
  }
}

const findAddress = (kit: Kit, channel: ChannelName, settings: DemoNetwork['settings']): string =>
  kit.channels.get(channel).settings?.address?.(settings) ?? '';

async function connectDemoNetworks(kit: Kit, sandbox: SandboxServers): Promise<void> {
  for (const { channel, settings } of listNetworks(sandbox))
    await checkAddress(kit, { channel, address: findAddress(kit, channel, settings) });
}

/**
 * Connects the inboxes at each start, while the platform serves already: the sandbox has forgotten where it has to call. Returns the step of
 * a stop that waits for the end of it.
 */
export function beginDemoNetworks(kit: Kit, sandbox: SandboxServers): () => Promise<void> {
  const connecting = connectDemoNetworks(kit, sandbox).catch((error: unknown) =>
    // Failure policy: jobs try again, and the inboxes say what is wrong.
    kit.log.warn({ err: error }, 'the demo is not connected with every network of the sandbox'),
  );
  return () => connecting;
}
