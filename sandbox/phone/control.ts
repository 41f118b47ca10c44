/** The operations of the control API by which the phone page plays people, at whichever network. */
import { answer, getOwnProperty, toObject, toText, type Answer } from '../exchange.ts';
import { partnerPhone } from '../gateway/phone.ts';
import { mailPhone } from '../mail/phone.ts';
import { linkedinPhone } from '../network/phone.ts';
import type { Sandbox } from '../state.ts';
import { publishAccounts, type PhoneNetwork } from './phone.ts';
import { whatsappPhone } from './whatsapp.ts';

type Call = { sandbox: Sandbox; query: URLSearchParams; body: unknown };
type Found = { sandbox: Sandbox; name: string; network: PhoneNetwork; given: Record<string, unknown> };
type Operation = (found: Found) => Answer | Promise<Answer>;

const NETWORKS: Record<string, PhoneNetwork> = {
  whatsapp: whatsappPhone,
  partner: partnerPhone,
  linkedin: linkedinPhone,
  mail: mailPhone,
};

const problem = (error: string): Answer => answer({ error }, 400);

/** Finds the network that the query or the body names. */
const withNetwork =
  (run: Operation) =>
  ({ sandbox, query, body }: Call): Answer | Promise<Answer> => {
    const given = { ...toObject(body), ...Object.fromEntries(query) };
    const name = toText(given['network']) ?? '';
    const network = getOwnProperty(NETWORKS, name);
    return network
      ? run({ sandbox, name, network, given })
      : problem(`network is one of ${Object.keys(NETWORKS).join(', ')}.`);
  };

export const PHONE_OPERATIONS: Record<string, (call: Call) => Answer | Promise<Answer>> = {
  'GET phone/accounts': withNetwork(({ sandbox, network }) =>
    answer({ accounts: network.listAccounts(sandbox), reads_alone: network.readsAlone(sandbox) }),
  ),
  'GET phone/messages': withNetwork(({ sandbox, network, given }) =>
    answer({ items: network.listItems(sandbox, toText(given['account']) ?? '', toText(given['contact']) ?? '') }),
  ),
  'POST phone/messages': withNetwork(async ({ sandbox, network, given: { network: _name, ...note } }) => {
    const written = await network.write(sandbox, note);
    return typeof written === 'string' ? problem(written) : answer(written);
  }),
  'POST phone/read': withNetwork(({ sandbox, network, given }) =>
    network.markRead(sandbox, toText(given['id']) ?? '')
      ? answer({ read: true })
      : problem('There is no message of the company with this id, or nobody hears when it is read.'),
  ),
  'PUT phone/settings': withNetwork(({ sandbox, name, network, given }) => {
    if (typeof given['reads_alone'] !== 'boolean') return problem('reads_alone is true or false.');
    network.setReadsAlone(sandbox, given['reads_alone']);
    publishAccounts(sandbox, name);
    return answer({ reads_alone: network.readsAlone(sandbox) });
  }),
};
