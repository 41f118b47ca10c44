import { buildBubble, summarize } from './bubbles.js';
import { byId, control, follow, make, makeButton } from './elements.js';

const PRESETS = [
  { name: 'Maria Silva', number: '5511988887777' },
  { name: 'João Pereira', number: '5521977776666' },
];
const LOCATION = {
  latitude: -23.5614,
  longitude: -46.6559,
  name: 'Avenida Paulista',
  address: 'Av. Paulista, São Paulo',
};
const CONTACT = {
  name: { formatted_name: 'Ana Costa', first_name: 'Ana' },
  phones: [{ phone: '+55 11 96666-5555', type: 'CELL' }],
};
const SIGNS = ['👍', '❤️', '😂', '🙏'];
// The network shows "typing" for at most this long.
const TYPING_MS = 25_000;

const state = {
  accounts: [],
  company: null,
  person: PRESETS[0],
  items: new Map(),
  replyTo: null,
  typingTimer: 0,
  isAtEnd: true,
};

const digits = (text) => text.replace(/\D/g, '');
/** The same key for a person's number with and without the Brazilian ninth digit. */
const personKey = (number) => digits(number).replace(/^(55\d{2})9(\d{8})$/, '$1$2') || number;
const isHere = ({ phone_number_id: id }, number) =>
  id === state.company?.phone_number_id && personKey(number) === personKey(state.person.number);

function showPeople() {
  const people = PRESETS.some(({ number }) => number === state.person.number) ? PRESETS : [...PRESETS, state.person];
  const buttons = people.map((person, index) => {
    const face = make('span', ['face', 'face second', 'face other'][index], person.name.slice(0, 1).toUpperCase());
    face.setAttribute('aria-hidden', 'true');
    const button = makeButton('', () => become(person));
    button.className = 'person';
    button.setAttribute('aria-pressed', String(person.number === state.person.number));
    button.append(face, make('span', '', person.name, make('small', '', `+${digits(person.number)}`)));
    return button;
  });
  byId('people').replaceChildren(...buttons);
}

function become(person) {
  state.person = person;
  localStorage.setItem('person', JSON.stringify(person));
  reply(null);
  showPeople();
  void load();
}

function showCompany() {
  const { company } = state;
  byId('company-name').textContent = company?.verified_name ?? 'No company yet';
  byId('company-face').textContent = (company?.verified_name ?? '?').slice(0, 1).toUpperCase();
  byId('company-state').textContent = company?.display_phone_number ?? '';
}

async function loadCompanies() {
  const { accounts } = await control('accounts');
  const kept = localStorage.getItem('company');
  state.accounts = accounts;
  state.company = accounts.find(({ phone_number_id: id }) => id === kept) ?? accounts[0] ?? null;
  const options = accounts.map((account) => {
    const option = make('option', '', `${account.verified_name} ${account.display_phone_number}`);
    option.value = account.phone_number_id;
    option.selected = account === state.company;
    return option;
  });
  byId('company').replaceChildren(...options);
  showCompany();
}

/** Loads the whole conversation: at the start, for another person, and after a lost connection. */
async function load() {
  await loadCompanies();
  if (state.company === null) return showAll();
  const { person } = state;
  const query = new URLSearchParams({ phone_number_id: state.company.phone_number_id, contact: person.number });
  const { items } = await control(`conversation?${query}`);
  // The person was changed while this request ran; the newer request shows the other person's messages.
  if (person !== state.person) return;
  state.items = new Map(items.map((item) => [item.id, item]));
  showAll();
}

const readReaction = (item) => (item.body ?? item.message).reaction;

/** The latest reaction of each side to a message. */
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
  const quoted = state.items.get(context?.message_id ?? context?.id);
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
  const react = (emoji) => write({ type: 'reaction', raw: { reaction: { message_id: item.id, emoji } } });
  const signs = item.direction === 'in' ? SIGNS.slice(0, 2) : [];
  return make(
    'span',
    'tools',
    makeButton('↩', () => reply(item), 'Reply to this message'),
    ...signs.map((sign) => makeButton(sign, () => react(sign), `React with ${sign}`)),
  );
}

const isShown = (item) => readReaction(item) === undefined || !state.items.has(readReaction(item).message_id);

function showAll() {
  const rows = [...state.items.values()].filter(isShown).map(buildRow);
  const hint = make('li', 'empty', 'No messages yet. Say hello: the platform gets it as a signed notification.');
  byId('chat').replaceChildren(...(rows.length > 0 ? rows : [hint]));
  scrollDown();
}

function scrollDown() {
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

function add(item) {
  state.items.set(item.id, { ...state.items.get(item.id), ...item });
  show(state.items.get(item.id));
}

function reply(item) {
  state.replyTo = item?.id ?? null;
  byId('replying').hidden = item === null;
  byId('replying-to').textContent = item === null ? '' : summarize(item).slice(0, 80);
  if (item !== null) byId('text').focus();
}

async function write(message) {
  const { person, company, replyTo } = state;
  byId('trouble').textContent = '';
  reply(null);
  try {
    const result = await control('inbound', {
      ...message,
      from: digits(person.number),
      name: person.name,
      ...(company === null ? {} : { phone_number_id: company.phone_number_id }),
      ...(replyTo === null ? {} : { context: replyTo }),
    });
    if (!result.delivered) notTaken(result);
  } catch (error) {
    byId('trouble').textContent = error.message;
  }
}

function notTaken({ status }) {
  const why = status === null ? 'it did not answer (is its address set?)' : `it answered ${status}`;
  byId('trouble').textContent = `The platform did not take this message: ${why}. It is tried again.`;
}

function typing(isTyping) {
  clearTimeout(state.typingTimer);
  if (!isTyping) return showCompany();
  byId('company-state').textContent = 'typing…';
  state.typingTimer = setTimeout(showCompany, TYPING_MS);
}

byId('someone-form').addEventListener('submit', (event) => {
  event.preventDefault();
  byId('someone').open = false;
  become({ name: byId('name').value.trim(), number: digits(byId('number').value) });
});
byId('company').addEventListener('change', (event) => {
  localStorage.setItem('company', event.target.value);
  void load();
});
byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = byId('text').value.trim();
  byId('text').value = '';
  if (text !== '') void write({ type: 'text', text });
});
byId('chat').addEventListener('scroll', ({ target }) => {
  state.isAtEnd = target.scrollHeight - target.scrollTop - target.clientHeight < 60;
});
// Each picture that loads makes the list taller. The `load` event does not bubble, so it is handled in the capture phase.
byId('chat').addEventListener('load', () => state.isAtEnd && scrollDown(), true);
byId('replying-end').addEventListener('click', () => reply(null));
byId('send-image').addEventListener('click', () => void write({ type: 'image', text: 'A picture' }));
byId('send-location').addEventListener('click', () => void write({ type: 'location', raw: { location: LOCATION } }));
byId('send-contact').addEventListener('click', () => void write({ type: 'contacts', raw: { contacts: [CONTACT] } }));

state.person = JSON.parse(localStorage.getItem('person') ?? 'null') ?? PRESETS[0];
showPeople();
follow('messages', load, {
  message: (item) => {
    if (!isHere(item, item.wa_id || item.to)) return;
    typing(false);
    add({ direction: 'in', ...item });
  },
  inbound: (item) => isHere(item, item.from) && add({ direction: 'out', ...item }),
  status: ({ id, ...change }) => state.items.has(id) && add({ id, ...change }),
  tried: ({ id, delivered }) => state.items.has(id) && add({ id, delivered }),
  read: ({ id, typing: isTyping }) => {
    if (!state.items.has(id)) return;
    add({ id, read: true });
    typing(isTyping);
  },
});
