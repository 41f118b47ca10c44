// The list of messages, with what can be done with each.
import { buildBubble } from './bubbles.js';
import { byId, make, makeButton, makeIcon } from './elements.js';
import { state } from './phone-state.js';
import { reply, tell, write } from './phone-write.js';

const SIGNS = ['👍', '❤️', '😂', '🙏'];

const readReaction = (item) => (item.body ?? item.message).reaction;

/** Returns the latest reaction of each side to a message. */
function reactionsOn(id) {
  const bySide = new Map();
  for (const item of state.items.values()) {
    const reaction = readReaction(item);
    if (reaction?.message_id === id) bySide.set(item.direction, reaction.emoji);
  }
  return [...bySide.values()].filter(Boolean);
}

function buildRow(item) {
  const context = (item.body ?? item.message).context;
  // A mail says by its subject what it answers.
  const quoted = state.network.isMail ? undefined : state.items.get(context?.message_id ?? context?.id);
  const bubble = buildBubble(item, {
    quoted,
    reactions: reactionsOn(item.id),
    onChoose: (raw) => write({ type: raw.type, raw: { ...raw, context: { id: item.id } } }),
  });
  const row = make('li', `row ${item.direction}`, bubble, buildTools(item));
  row.dataset.id = item.id;
  return row;
}

function buildTools(item) {
  const { network, readsAlone } = state;
  const isTheirs = item.direction === 'in';
  const react = (emoji) => write({ type: 'reaction', raw: { reaction: { message_id: item.id, emoji } } });
  const signs = isTheirs && network.reacts ? SIGNS.slice(0, 2) : [];
  const isUnread = isTheirs && readsAlone === false && ['sent', 'delivered'].includes(item.status);
  const isReturnable = isTheirs && network.isMail && item.status !== 'failed';
  return make(
    'span',
    'tools',
    makeButton(makeIcon('reply'), () => reply(item), 'Reply to this message'),
    ...signs.map((sign) => makeButton(sign, () => react(sign), `React with ${sign}`)),
    isUnread ? makeButton(makeIcon('read'), () => tell('phone/read', item.id), 'Mark as read') : null,
    isReturnable ? makeButton('Return to sender', () => tell('mail/return', item.id)) : null,
  );
}

const isShown = (item) => readReaction(item) === undefined || !state.items.has(readReaction(item).message_id);

export function showAll() {
  const rows = [...state.items.values()].filter(isShown).map(buildRow);
  const hint = make('li', 'empty', state.network.hint);
  byId('chat').replaceChildren(...(rows.length > 0 ? rows : [hint]));
  scrollDown();
}

export function scrollDown() {
  state.isAtEnd = true;
  byId('chat').scrollTo({ top: byId('chat').scrollHeight });
}

/** Shows a new or changed message at its position; a reaction updates the message that it belongs to. */
function show(item) {
  const chat = byId('chat');
  chat.querySelector('.empty')?.remove();
  const target = isShown(item) ? item : state.items.get(readReaction(item).message_id);
  const old = [...chat.children].find((row) => row.dataset.id === target.id);
  const row = buildRow(target);
  if (old) return old.replaceWith(row);
  row.classList.add('new');
  chat.append(row);
  if (state.isAtEnd || item.direction === 'out') scrollDown();
}

export function add(item) {
  state.items.set(item.id, item);
  state.arrived?.push(item);
  show(item);
}
