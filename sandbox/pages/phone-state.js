// What the phone page shows: the open tab, its person and account, and the messages between both.
import { NETWORKS, PRESETS } from './phone-networks.js';

export const state = {
  network: NETWORKS[0],
  company: null,
  person: PRESETS[0],
  // Whether messages are read by themselves; null where nobody hears of it.
  readsAlone: null,
  items: new Map(),
  // The messages that have arrived at any network, so that each is news only once.
  known: new Set(),
  replyTo: null,
  isTyping: false,
  typingTimer: 0,
  // While the conversation is loaded: what the stream brings meanwhile. The answer may be older.
  arrived: null,
  isAtEnd: true,
};

/** The name of a person at the network of the open tab. */
export const nameOf = (person) => person[state.network.person.field];
/** Whether a message belongs to the open conversation. */
export const isHere = ({ network, account, contact }) =>
  network === state.network.id &&
  account === state.company?.id &&
  state.network.person.isSame(contact, nameOf(state.person));
