import { buildBubble, summarize } from './bubbles.js';
import { byId, control, follow, make, makeButton, makeIcon } from './elements.js';

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
// The network takes no larger file.
const FILE_MAX_BYTES = 100 * 1_048_576;
// The network shows "typing" for at most this long.
const TYPING_MS = 25_000;

const state = {
  accounts: [],
  company: null,
  person: PRESETS[0],
  items: new Map(),
  replyTo: null,
  isTyping: false,
  typingTimer: 0,
  // While the conversation is loaded: what the stream brings meanwhile. The answer may be older.
  arrived: null,
  isAtEnd: true,
};

const digits = (text) => text.replace(/\D/g, '');
/** Returns a key that is the same for a person's number with and without the Brazilian ninth digit. */
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
  byId('company-state').textContent = state.isTyping ? 'typing…' : (company?.display_phone_number ?? '');
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
  state.arrived = [];
  await loadCompanies();
  if (state.company === null) return showAll();
  const { person } = state;
  const query = new URLSearchParams({ phone_number_id: state.company.phone_number_id, contact: person.number });
  const { items } = await control(`conversation?${query}`);
  // Another person was chosen while this request ran, so a newer request shows that person's messages.
  if (person !== state.person) return;
  state.items = new Map(items.map((item) => [item.id, item]));
  for (const item of state.arrived ?? []) if (!state.items.has(item.id)) state.items.set(item.id, item);
  state.arrived = null;
  showAll();
}

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
    makeButton(makeIcon('reply'), () => reply(item), 'Reply to this message'),
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
  state.arrived?.push(state.items.get(item.id));
  show(state.items.get(item.id));
}

function reply(item) {
  state.replyTo = item?.id ?? null;
  byId('replying').hidden = item === null;
  byId('replying-to').textContent = item === null ? '' : summarize(item).slice(0, 80);
  if (item !== null) byId('text').focus();
}

/** Writes a message as the chosen person, and returns whether the sandbox took it. */
async function write(message) {
  const { person, company, replyTo } = state;
  complain('');
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
    return true;
  } catch (error) {
    complain(error.message);
    return false;
  }
}

/** Sends a file in the kind of message that its type has, with the words of the text field as its caption where that kind has captions. */
async function writeFile(file) {
  if (file.size > FILE_MAX_BYTES) return complain('The network takes files of at most 100 MB.');
  const base64 = await readBase64(file);
  if (base64 === null) return complain('The browser can not read this file.');
  const media = { base64, mime_type: file.type, file_name: file.name };
  const hasCaption = !/^(audio\/|image\/webp$)/.test(file.type);
  const text = hasCaption ? byId('text').value.trim() : '';
  if (text === '') return write({ type: 'file', media });
  byId('text').value = '';
  if (!(await write({ type: 'file', media, text }))) byId('text').value = text;
}

async function readBase64(file) {
  try {
    return new Uint8Array(await file.arrayBuffer()).toBase64();
  } catch {
    // Failure policy: a file that was moved or may not be read is not sent, and the caller says so.
    return null;
  }
}

function complain(text) {
  byId('trouble').textContent = text;
}

function notTaken({ status }) {
  const why = status === null ? 'it did not answer (is its address set?)' : `it answered ${status}`;
  complain(`The platform did not take this message: ${why}. It is tried again.`);
}

function typing(isTyping) {
  clearTimeout(state.typingTimer);
  state.isTyping = isTyping;
  if (isTyping) state.typingTimer = setTimeout(() => typing(false), TYPING_MS);
  showCompany();
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
byId('choose-file').addEventListener('click', () => byId('file').click());
byId('file').addEventListener('change', ({ target }) => {
  const [file] = target.files;
  if (file !== undefined) void writeFile(file);
  // The browser tells the page of the same file once more only if the field is empty.
  target.value = '';
});
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
