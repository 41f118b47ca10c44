/** What the elements of one event share. */
import type { InboundUnreadable } from './channel.ts';
import { toStorable } from './values.ts';

/** The inbox of an event, and the time at which it arrived: the gateway's own time has no time zone. */
export interface Scene {
  address: string;
  now: Date;
}

export function makeUnreadable({ address }: Pick<Scene, 'address'>, reason: string, raw: unknown): InboundUnreadable {
  return { kind: 'unreadable', address, reason, raw: toStorable(raw) };
}
