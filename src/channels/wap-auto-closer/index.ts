/** The channel of the Cloud API: notifications in, text and read marks out. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { PHONE, type CallbackTranslator, type Channel, type SignatureCheck } from '../channel.ts';
import type { Outbound } from '../../platform/outbound.ts';
import { wapConfig, type WapConfig } from './config.ts';
import { failureText, refusesCredentials } from './errors.ts';
import { parseCallback } from './parse.ts';
import { createWapSender } from './send.ts';

/** A number, or the network's id of a person: two letters of a country and a dot. */
const PERSON = new RegExp(String.raw`${PHONE.source}|^[A-Z]{2}\.[!-~]+$`);

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** `appSecret` belongs to the network's app, not to an inbox. Without it every notification is refused. */
export function createWapAutoCloser(deps: {
  graphUrl: string;
  appSecret: string | null;
  outbound: Outbound;
}): Channel<WapConfig> & CallbackTranslator {
  const sender = createWapSender(deps);
  return {
    name: 'WAP_AUTO_CLOSER',
    configField: 'api_wap_config',
    config: wapConfig,
    secrets: ['business_token'],
    needsNumber: true,
    person: PERSON,
    can: { text: true, markRead: true, window24h: true, reportsFailures: true },
    address: (config) => config.phone_number_id,
    targets: () => [], // only the operator's Graph address is called
    check: sender.check,
    send: sender.sendText,
    markRead: sender.markRead,
    failureText,
    refusesCredentials,
    beginCheck: (signature) => beginCheck(deps.appSecret, signature),
    parse: parseCallback,
  };
}

/** Over the bytes as they came: the network escapes characters in a way that no serialiser repeats. */
function beginCheck(appSecret: string | null, signature: string | undefined): SignatureCheck | null {
  const given = signature === undefined ? undefined : SIGNATURE.exec(signature)?.[1];
  if (!appSecret || given === undefined) return null;
  const hmac = createHmac('sha256', appSecret);
  return {
    add: (bytes) => void hmac.update(bytes),
    holds: () => timingSafeEqual(hmac.digest(), Buffer.from(given, 'hex')),
  };
}
