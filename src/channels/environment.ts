/** The port for the settings of the operator, which hold for all inboxes of a channel. */
import type { SettingTable } from '../platform/values/setting-kinds.ts';

// A type without properties is meant, so that a channel which has declared nothing can read nothing.
// oxlint-disable-next-line typescript/no-generated-empty-object-type
export type NoSettings = Record<never, SettingTable[string]>;

/** What the operator sets for all inboxes of a channel. */
export interface ChannelEnvironment<Table extends SettingTable = SettingTable> {
  settings: Table;
  /** Settings that are all given or all absent, and what happens only with all of them. */
  together?: { names: readonly (keyof Table & string)[]; purpose: string };
}
