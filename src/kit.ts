/** The services that every feature receives at boot: configuration, database, access control, mail, outgoing HTTP, files, channels and so on. */
import type { Channels } from './channels/registry.ts';
import type { Config } from './config.ts';
import type { ChangeFeed } from './platform/store/changes/feed.ts';
import type { ChildReaders } from './platform/work/child-readers.ts';
import type { Enqueue } from './platform/work/jobs.ts';
import type { Downloads } from './platform/store/files/downloads.ts';
import type { Files } from './platform/store/files/files.ts';
import type { Outbound } from './platform/outside/outbound.ts';
import type { Access } from './platform/http/access.ts';
import type { Mailer } from './platform/outside/mail.ts';
import type { Precedence } from './platform/work/precedence.ts';
import type { AdmitReply } from './platform/http/reply-places.ts';
import type { Secrets } from './platform/store/secrets.ts';
import type { Storage } from './platform/store/storage.ts';
import type { Log, Metrics } from './platform/work/telemetry.ts';
import type { Database } from './platform/store/tenant.ts';
import type { Keyring } from './platform/http/tokens.ts';
import type { NearestVectors } from './platform/store/vectors/nearest.ts';

export interface Kit {
  /** The platform's settings. Those of a network are known to its channel only. */
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
  /** The secrets of tokens that are accepted. */
  tokenKeyring: Keyring;
  mailer: Mailer;
  outbound: Outbound;
  /** Calls webhooks, which may be on this machine while the sandbox runs. */
  toWebhooks: Pick<Outbound, 'tenant' | 'refuse'>;
  /** Keeps the files of companies. */
  files: Files;
  channels: Channels;
  /** The address of the sandbox; null unless it runs next to the platform. */
  sandboxUrl: string | null;
  enqueue: Enqueue;
  /** Reads files that companies upload, in child processes. */
  readers: ChildReaders;
  /** Compares a question with the vectors of a company. */
  vectors: NearestVectors;
  admitExport: AdmitReply;
  /** Callbacks have precedence over work that can wait. */
  precedence: Precedence;
  /** Shares out the files that are sent to whoever has a link. */
  downloads: Downloads;
  metrics: Metrics;
  log: Log;
}
