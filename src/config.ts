/** All settings of the platform in one table. main.ts passes in the environment, which is read once; the result is frozen. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { S3Settings } from './platform/store/files/s3.ts';
import { chooseReachableHost } from './platform/outside/own-address.ts';
import {
  bucket,
  choice,
  duration,
  expectAllOrNone,
  listenHost,
  integer,
  list,
  optional,
  optionalSize,
  secretKey,
  size,
  text,
  readSettings,
  url,
  urlOfHosts,
  type SettingTable,
  type SettingValues,
  type Variables,
} from './platform/values/setting-kinds.ts';
import { declareLimit } from './platform/values/limits.ts';

/** All settings of the platform by name; those of a network stand in its channel. .env.example lists both, which scripts/check-docs.ts checks. */
export const SETTINGS = {
  HOST: listenHost,
  PORT: integer(3000, 0, 65_535),
  DATA_DIR: text('./data'),
  DATABASE_URL: urlOfHosts('postgres:', 'postgresql:'),
  // When the platform begins to refuse writes, transactions in progress still need space: 60 of them with 8 MB each, and a few segments of
  // the write-ahead log.
  STORAGE_RESERVE: size('512MB'),
  COMPANY_QUOTA: optionalSize,
  PUBLIC_URL: url('http:', 'https:'),
  ENCRYPTION_KEY: secretKey,
  JWT_SECRET: secretKey,
  JWT_SECRET_PREVIOUS: secretKey,
  S3_ENDPOINT: url('http:', 'https:'),
  S3_REGION: text('us-east-1'),
  S3_BUCKET: bucket,
  S3_ADDRESSING_STYLE: choice(['path', 'virtual'], 'path'),
  S3_ACCESS_KEY_ID: optional,
  S3_SECRET_ACCESS_KEY: optional,
  OUTBOUND_ALLOW: list,
  AI_BASE_URL: url('http:', 'https:'),
  AI_API_KEY: optional,
  AI_MODEL: optional,
  EMBEDDINGS_BASE_URL: url('http:', 'https:'),
  EMBEDDINGS_API_KEY: optional,
  EMBEDDINGS_MODEL: optional,
  AGENT_WAIT: duration('2s'),
  AGENT_DAILY_TOKENS: integer(2_000_000, 0, 1_000_000_000),
  AGENT_CONVERSATION_TOKENS: integer(200_000, 0, 1_000_000_000),
  SANDBOX: { fallback: null, parse: (value: string) => choice(['on', 'off'], 'off').parse(value) as string | null },
  SANDBOX_PORT: integer(0, 0, 65_535),
  SMTP_URL: url('smtp:', 'smtps:'),
  MAIL_FROM: optional,
  TRUSTED_PROXIES: list,
  RATE_LIMIT_PER_KEY: integer(50, 1, 1_000_000),
  RATE_LIMIT_PER_COMPANY: integer(200, 1, 1_000_000),
  RATE_LIMIT_LOGIN: integer(30, 1, 1_000_000),
  RATE_LIMIT_PAGES: integer(20, 1, 1_000_000),
  RATE_LIMIT_WEB_CHAT: integer(200, 1, 1_000_000),
  // Megabytes per second. Reading, assembling and sending a megabyte takes 20 to 30 ms of a process and as much of the database, so 4 are
  // about a tenth of a core.
  RATE_LIMIT_ANSWERS: integer(4, 1, 1_000_000),
  // Megabytes per second. Passing a megabyte of a file on takes a process about a millisecond.
  RATE_LIMIT_FILES: integer(16, 1, 1_000_000),
  CONNECTIONS: integer(2_000, 10, 100_000),
  CONNECTIONS_PER_ADDRESS: integer(500, 10, 100_000),
  BODIES_MB: integer(64, 8, 65_536),
  BODIES_MB_PER_ADDRESS: integer(16, 4, 65_536),
  WEBHOOK_MAX_AGE: duration('24h'),
  DELIVERY_RETENTION_DAYS: integer(14, 1, 3_650),
  CALLBACK_RETENTION_DAYS: integer(14, 1, 3_650),
  AUDIT_RETENTION_DAYS: integer(365, 1, 3_650),
  BULK_MAX_CONTACTS: integer(2_000, 1, 10_000),
  DELIVERY_SLOTS: integer(64, 1, 1_024),
  DELIVERY_SLOTS_PER_COMPANY: integer(8, 1, 1_024),
  DATABASE_POOL: integer(10, 2, 200),
  DATABASE_WAIT: duration('2s', '1h'),
  STOP_WAIT: duration('15s', '1h'),
  READER_NICE: integer(15, 0, 19),
  METRICS_TOKEN: secretKey,
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
  LOG_FORMAT: choice(['auto', 'json', 'text'], 'auto'),
} satisfies SettingTable;

type Values = SettingValues<typeof SETTINGS>;

export type Config = Readonly<
  Values & {
    PUBLIC_URL: string;
    /** True when only this machine can reach the platform. */
    loopback: boolean;
    /** True when others reach the platform at the address that the operator has named, for example by a proxy. */
    published: boolean;
    /** True when the sandbox runs next to the platform. */
    sandboxOn: boolean;
    /** True when there is no sandbox only because HOST lets other machines in. */
    sandboxHidden: boolean;
    /** The service that keeps files; null keeps them in the data folder. */
    s3: S3Settings | null;
    /** The endpoint that computes the vectors of texts; null computes them in this process. */
    embeddings: ModelEndpoint | null;
    /** The model with which agents answer; null lets them answer with passages of the knowledge base. */
    chat: ModelEndpoint | null;
  }
>;

/** What a process is started with. The channels are not known yet, and boot gives each of them what it has declared. */
export type StartConfig = Config & {
  /** What else the environment has, as it was written. */
  readonly variables: Readonly<Record<string, string>>;
};

// Whoever names the address of a real network does not want the sandbox to play it. The channel that reads the setting is not loaded yet when
// the sandbox is started.
const REAL_NETWORK = 'WAP_GRAPH_URL';

// The embedded server allows 120 connections. With pools of 30 the three pools, the platform's own work, the job queue and a migration stay
// below that.
const EMBEDDED_POOL_MAX = declareLimit(30, {
  topic: 'Operation',
  what: '`DATABASE_POOL` with the embedded database',
  beyond: 'the process does not start',
});

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Combines the settings of the file service. Throws one sentence when some of them are missing. */
function readS3(values: Values): S3Settings | null {
  const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: name, S3_ADDRESSING_STYLE: addressing } = values;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if (endpoint && name && accessKeyId && secretAccessKey)
    return { endpoint, region, bucket: name, addressing, accessKeyId, secretAccessKey };
  const needed = { S3_ENDPOINT: endpoint, S3_BUCKET: name, S3_ACCESS_KEY_ID: accessKeyId };
  expectAllOrNone({ ...needed, S3_SECRET_ACCESS_KEY: secretAccessKey }, 'files are kept in an S3 bucket');
  return null;
}

/** An endpoint that understands the calls of OpenAI. */
export interface ModelEndpoint {
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

/** `does` says what the endpoint is needed for. */
function readEndpoint(values: Values, prefix: 'AI' | 'EMBEDDINGS', does: string): ModelEndpoint | null {
  const baseUrl = values[`${prefix}_BASE_URL`];
  const apiKey = values[`${prefix}_API_KEY`];
  const model = values[`${prefix}_MODEL`];
  if (baseUrl && model) return { baseUrl, apiKey, model };
  if (!baseUrl && !model) return null;
  throw new Error(`${prefix}_${baseUrl ? 'MODEL' : 'BASE_URL'} must be set: ${does} by an endpoint only with both`);
}

/** Reads and checks the platform's settings. Throws one sentence that names the wrong setting. An empty variable counts as absent. */
export function loadConfig(env: Variables): StartConfig {
  const values = readSettings(SETTINGS, env);
  const variables = listFurther(env);
  const loopback = isLoopback(values.HOST);
  if (values.SANDBOX === 'on' && !loopback) {
    throw new Error(
      `SANDBOX is on, but HOST ${values.HOST} lets other machines in, and the sandbox has no password; leave SANDBOX out, or set HOST=127.0.0.1`,
    );
  }
  if (!values.DATABASE_URL && values.DATABASE_POOL > EMBEDDED_POOL_MAX) {
    throw new Error(
      `DATABASE_POOL must be at most ${EMBEDDED_POOL_MAX} with the embedded database; for more set DATABASE_URL`,
    );
  }
  const isOwnTry = !values.DATABASE_URL && !variables[REAL_NETWORK];
  const host = chooseReachableHost(values.HOST);
  const name = host.includes(':') ? `[${host}]` : host;
  return Object.freeze({
    ...values,
    loopback,
    PUBLIC_URL: values.PUBLIC_URL ?? `http://${name}:${values.PORT}`,
    sandboxOn: values.SANDBOX ? values.SANDBOX === 'on' : isOwnTry && loopback,
    published: values.PUBLIC_URL !== null && !isLoopback(new URL(values.PUBLIC_URL).hostname.replace(/^\[|\]$/g, '')),
    sandboxHidden: !values.SANDBOX && isOwnTry && !loopback,
    s3: readS3(values),
    embeddings: readEndpoint(values, 'EMBEDDINGS', 'vectors are computed'),
    chat: readEndpoint(values, 'AI', 'answers are written'),
    variables,
  });
}

/** The variables that are no settings of the platform. */
function listFurther(env: Variables): Record<string, string> {
  const further = Object.entries(env).filter(([name]) => !Object.hasOwn(SETTINGS, name));
  return Object.fromEntries(further.flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])));
}

/** The path of a file or folder inside the data folder. */
export function dataPath(config: Pick<Config, 'DATA_DIR'>, ...names: string[]): string {
  return join(config.DATA_DIR, ...names);
}
