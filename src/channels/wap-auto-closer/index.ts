/** The channel of the Cloud API: notifications in, text and read marks out. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CallbackTranslator, Channel } from '../channel.ts';
import type { Outbound } from '../../platform/outbound.ts';
import { wapConfig, type WapConfig } from './config.ts';
import { failureText } from './errors.ts';
import { parseCallback } from './parse.ts';
import { createWapSender } from './send.ts';

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
    can: { text: true, markRead: true, window24h: true, reportsFailures: true },
    address: (config) => config.phone_number_id,
    targets: () => [], // only the operator's Graph address is called
    check: sender.check,
    send: sender.sendText,
    markRead: sender.markRead,
    failureText,
    verify: (raw, signature) => isSigned(deps.appSecret, raw, signature),
    parse: parseCallback,
  };
}

/** Over the bytes as they came: the network escapes characters in a way that no serialiser repeats. */
function isSigned(appSecret: string | null, raw: Buffer, signature: string | undefined): boolean {
  const given = signature === undefined ? undefined : SIGNATURE.exec(signature)?.[1];
  if (!appSecret || given === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(raw).digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}
