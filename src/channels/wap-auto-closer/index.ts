/** The channel of the WhatsApp Cloud API: it receives notifications, and sends messages and read marks. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { declareChannel, SILENT, type ChannelNetwork, type NetworkAccess, type SignatureCheck } from '../channel.ts';
import { PHONE_NUMBER } from '../identity.ts';
import { failureText, refusesCredentials } from './errors.ts';
import { parseCallback } from './parse.ts';
import { BSUID_NAME } from './person.ts';
import { wapSamples } from './samples.ts';
import { createWapSender } from './send.ts';
import { wapSettings, type WapConfig } from './settings.ts';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Opens the channel. The app secret belongs to the app at the network, not to an inbox. Without an app secret every notification is
 * refused.
 */
function openNetwork(access: NetworkAccess): ChannelNetwork<WapConfig> {
  const { check, sendMessage, markRead } = createWapSender(access);
  return {
    check,
    send: sendMessage,
    markRead,
    failureText,
    refusesCredentials,
    callbacks: {
      path: '/hooks/wap',
      readHandshake,
      beginCheck: (headers) => beginCheck(access.appSecret, headers['x-hub-signature-256']),
      firstAddress,
      parse: parseCallback,
    },
  };
}

export const wapAutoCloserChannel = declareChannel({
  name: 'WAP_AUTO_CLOSER',
  settings: wapSettings,
  needsNumber: true,
  identities: [PHONE_NUMBER, BSUID_NAME],
  can: { ...SILENT.can, content: ['TEXT'], markRead: true, window24h: true, reportsFailures: true },
  samples: wapSamples,
  open: openNetwork,
});

/**
 * Reads the request by which the network verifies a callback URL: https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */
function readHandshake(query: Record<string, unknown>): { token: string; challenge: string } | null {
  if (query['hub.mode'] !== 'subscribe') return null;
  const [token, challenge] = [query['hub.verify_token'], query['hub.challenge']];
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
