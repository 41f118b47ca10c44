/** What a room is handed at boot: the platform's doors and the channels. */
import type { Channels } from './channels/registry.ts';
import type { Config } from './config.ts';
import type { Enqueue } from './platform/jobs.ts';
import type { Outbound } from './platform/outbound.ts';
import type { Access } from './platform/access.ts';
import type { Mailer } from './platform/mail.ts';
import type { SheetReaders } from './platform/sheets/readers.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Storage } from './platform/storage.ts';
import type { Log, Metrics } from './platform/telemetry.ts';
import type { Database } from './platform/tenant.ts';

export interface Kit {
  config: Config;
  database: Database;
  /** Whether there is room to write: what fetches work of its own asks before it begins. */
  storage: Storage;
  access: Access;
  secrets: Secrets;
  /** Signs tokens. */
  tokenSecret: string;
  mailer: Mailer;
  outbound: Outbound;
  channels: Channels;
  enqueue: Enqueue;
  /** Reads the sheets of tenants, in child processes. */
  sheets: SheetReaders;
  metrics: Metrics;
  log: Log;
}
