/** The phone whose messages go through the gateway. */
import { toObject } from '../exchange.ts';
import { READ_MS, type PhoneNetwork } from '../phone/phone.ts';
import { composeMessage } from './compose.ts';
import { reportState } from './events.ts';
import { writeInbound } from './inbound.ts';
import { createJid } from './jid.ts';
import { isFromCompany, toItem } from './shown.ts';

const STATES = { open: 'open', connecting: 'waiting', close: 'closed' } as const;

export const partnerPhone: PhoneNetwork = {
  listAccounts: ({ gateway }) =>
    [...gateway.instances.values()].map(({ name, number, state }) => ({
      id: name,
      name: `Instance ${name}`,
      detail: number === '' ? name : `+${number}`,
      state: STATES[state],
    })),
  listItems: ({ gateway }, account, contact) =>
    [...gateway.messages]
      .filter(([, { instance, number }]) => instance === account && createJid(number) === createJid(contact))
      .map(([id, stored]) => toItem(id, stored)),
  async write(sandbox, note) {
    const instance = sandbox.gateway.instances.get(String(note['account']));
    if (!instance) return 'There is no such instance.';
    if (instance.state !== 'open') return 'No phone is connected to this instance: scan its code first.';
    const composed = composeMessage(sandbox, note);
    if (typeof composed === 'string') return composed;
    const written = await writeInbound(sandbox, {
      instance: instance.name,
      from: note['contact'],
      name: note['name'],
      ...composed,
    });
    return typeof written === 'string' ? written : { ...written, delivered: written.status === 200 };
  },
  markRead(sandbox, id) {
    const stored = sandbox.gateway.messages.get(id);
    const instance = sandbox.gateway.instances.get(stored?.instance ?? '');
    if (!stored || !instance || !isFromCompany(stored)) return false;
    void reportState(sandbox, instance, toObject(stored.data['key']), 'READ');
    return true;
  },
  readsAlone: ({ gateway }) => gateway.settings.status_delays_ms.READ !== null,
  setReadsAlone: ({ gateway }, on) => void (gateway.settings.status_delays_ms.READ = on ? READ_MS : null),
};
