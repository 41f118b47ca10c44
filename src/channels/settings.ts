/** The port for the settings of inboxes: what a channel needs to know of an inbox, and what of it is secret. */
import type { TObject } from 'typebox';

/** What is wrong with a property; the path begins within the settings. */
export interface SettingsFault {
  path: string;
  message: string;
}

/** The settings of an inbox on one channel. The code of the inboxes stores and shows them without knowing their meaning. */
export interface ChannelSettings<Config = Record<string, unknown>> {
  /** The property of an inbox that holds these settings; each channel has its own. */
  field: string;
  /** The schema of the settings in a request; null when the settings come from the network itself. */
  body: TObject | null;
  /** The schema of the settings in an answer, where each secret is masked. */
  record: TObject;
  /** Properties that are encrypted at rest. */
  secrets: readonly string[];
  /** Those of them that the platform sends to no one, so that they are kept when the addresses in the settings change. */
  ownSecrets?: readonly string[];
  /** Settings for what a request leaves out. A channel without them has to be given all of its settings. */
  initial?: Partial<Config>;
  /**
   * The network's address of the inbox. Only one ACTIVE inbox of the installation owns an address. Null when the inbox's own id is its
   * address.
   */
  address: ((config: Config) => string) | null;
  /** The network's account, which may have several addresses; null on networks without accounts. */
  account(config: Config): string | null;
  /** True when `check` tells the account, and the settings do not. It is kept as long as the inbox has the same address. */
  accountIsTold?: true;
  /** The network's id of the business whose numbers share a limit of people a day; absent on networks without such a limit. */
  portfolio?(config: Config): string;
  /** The name of the inbox at its network, where inboxes have names; it is then the first choice for the inbox's `door_name`. */
  instanceName?(config: Config): string;
  /** Returns what is wrong with settings that the schema accepts; a secret may be a mask. */
  findFault?(config: Config): SettingsFault | null;
  /** The custom fields of contacts that the settings name. */
  customFields?(config: Config): { path: string; slug: string }[];
  /** The addresses in the settings that this process will call. They are checked like every address that a tenant gives. */
  targets(config: Config): { path: string; url: string }[];
  /** An example of valid settings as a request has them; the contract tests use it. */
  sample: Config;
}
