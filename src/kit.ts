/** The services that every feature receives at boot: configuration, database, access control, mail, outgoing HTTP, files, channels and so on. */
import type { Channels } from './channels/registry.ts';
import type { Config } from './config.ts';
import type { ChangeFeed } from './platform/changes/feed.ts';
import type { AdmitExport } from './platform/download.ts';
import type { Enqueue } from './platform/jobs.ts';
import type { Files } from './platform/files/files.ts';
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
  /** Announces which records have changed. */
  changes: ChangeFeed;
  /** Knows whether the disk has room for writes. A loop that fetches its own work checks this before it begins. */
  storage: Storage;
  access: Access;
  secrets: Secrets;
  /** The secret that signs tokens. */
  tokenSecret: string;
  mailer: Mailer;
  outbound: Outbound;
  /** Keeps the files of companies. */
  files: Files;
  channels: Channels;
  enqueue: Enqueue;
  /** Reads the spreadsheets that companies upload, in child processes. */
  sheets: SheetReaders;
  admitExport: AdmitExport;
  metrics: Metrics;
  log: Log;
}
