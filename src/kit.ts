/** What a room is handed at boot: the platform's doors and the channels. */
import type { Channels } from './channels/registry.ts';
import type { Config } from './config.ts';
import type { Enqueue } from './platform/jobs.ts';
import type { Outbound } from './platform/outbound.ts';
import type { Access } from './platform/route.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Log, Metrics } from './platform/telemetry.ts';
import type { Database } from './platform/tenant.ts';

export interface Kit {
  config: Config;
  database: Database;
  access: Access;
  secrets: Secrets;
  outbound: Outbound;
  channels: Channels;
  enqueue: Enqueue;
  metrics: Metrics;
  log: Log;
}
