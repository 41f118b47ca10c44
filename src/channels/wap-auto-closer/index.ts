/** The channel of the WhatsApp Cloud API: it receives notifications, sends messages and read marks, and keeps templates. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureCheck } from '../called.ts';
import { declareChannel, SILENT, type ChannelNetwork, type NetworkAccess } from '../channel.ts';
import { wapEnvironment } from './environment.ts';
import { PHONE_NUMBER } from '../identity.ts';
import { WHATSAPP_MARKS } from '../marks.ts';
import { refusesTemplate } from '../templates/cloud-api.ts';
import { failureText, findOverload, refusesCredentials } from './errors.ts';
import { createFileFetcher } from './fetch-file.ts';
import { createGraph, PUBLIC_GRAPH } from './graph.ts';
import { WAP_MEDIA } from './media.ts';
import { parseCallback } from './parse.ts';
import { BSUID_NAME } from './person.ts';
import { requestSync } from './phone-sync.ts';
import { wapSamples } from './samples.ts';
import { createWapSender } from './send.ts';
import { wapSettings, type WapConfig } from './settings.ts';
import { readStanding } from './standing.ts';
import { createWapTemplates } from './templates.ts';
import { uploadFile } from './upload.ts';

const TOKEN_PARAMETER = 'hub.verify_token';
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Opens the channel. The app secret belongs to the app at the network, not to an inbox. Without an app secret every notification is
 * refused.
 */
function openNetwork({
  environment,
  outbound,
}: NetworkAccess<typeof wapEnvironment.settings>): ChannelNetwork<WapConfig> {
  const { WAP_GRAPH_URL: graphUrl, WAP_APP_SECRET: appSecret, WAP_VERIFY_TOKEN: verifyToken } = environment;
  const access = { graphUrl: graphUrl ?? PUBLIC_GRAPH, appSecret, outbound };
  const graph = createGraph(access);
  const { check, sendMessage, markRead, showTyping } = createWapSender(graph);
  return {
    check,
    send: sendMessage,
    uploadFile: (file, config, signal) => uploadFile(graph, file, { config, signal }),
    markRead: ({ externalId }, config, signal) => markRead(externalId, config, signal),
    showTyping: ({ externalId }, config, signal) => showTyping(externalId, config, signal),
    fetchFile: createFileFetcher(access),
    templates: createWapTemplates(graph, environment),
    readStanding: (config, signal) => readStanding(graph, config, signal),
    requestSync: (part, config, signal) => requestSync(graph, part, { config, signal }),
    findOverload,
    failureText,
    refusesCredentials,
    refusesTemplate,
    callbacks: {
      path: '/hooks/wap',
      handshake: { token: verifyToken, parameter: TOKEN_PARAMETER, read: readHandshake },
      beginCheck: (headers) => beginCheck(appSecret, headers['x-hub-signature-256']),
      firstAddress,
      parse: parseCallback,
    },
  };
}

export const wapAutoCloserChannel = declareChannel({
  name: 'WAP_AUTO_CLOSER',
  environment: wapEnvironment,
  settings: wapSettings,
  needsNumber: true,
  identities: [PHONE_NUMBER, BSUID_NAME],
  contactSource: 'INBOUND',
  can: {
    ...SILENT.can,
    content: [
      'TEXT',
      'INTERACTIVE',
      'LOCATION',
      'CONTACTS',
      'REACTION',
      'TEMPLATE',
      ...WAP_MEDIA.map((format) => format.contentType),
    ],
    maxText: 4_096,
    replyButtons: 3,
    marks: WHATSAPP_MARKS,
    media: WAP_MEDIA,
    markRead: true,
    typing: true,
    templates: true,
    window24h: true,
    reportsFailures: true,
  },
  samples: wapSamples,
  open: openNetwork,
});

/**
 * Reads the request by which the network verifies a callback URL: https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */
function readHandshake(query: Record<string, unknown>): { token: string; challenge: string } | null {
  if (query['hub.mode'] !== 'subscribe') return null;
  const [token, challenge] = [query[TOKEN_PARAMETER], query['hub.challenge']];
  return { token: typeof token === 'string' ? token : '', challenge: typeof challenge === 'string' ? challenge : '' };
}

function firstAddress(raw: Buffer): string {
  const at = raw.indexOf('"phone_number_id"');
  if (at === -1) return '';
  return /^"phone_number_id"\s*:\s*"([^"\\]{1,64})"/.exec(raw.toString('latin1', at, at + 128))?.[1] ?? '';
}

/**
 * Begins the check of a signature. The signature covers the raw bytes, because the network escapes characters in a way that no serialiser
 * repeats.
 */
function beginCheck(appSecret: string | null, signature: string | string[] | undefined): SignatureCheck | null {
  const given = typeof signature === 'string' ? SIGNATURE.exec(signature)?.[1] : undefined;
  if (!appSecret || given === undefined) return null;
  const hmac = createHmac('sha256', appSecret);
  return {
    add: (bytes) => void hmac.update(bytes),
    holds: () => timingSafeEqual(hmac.digest(), Buffer.from(given, 'hex')),
  };
}
