import { byId, control, follow, make, makeButton } from './elements.js';
import { add, scrollDown, showAll } from './phone-list.js';
import { NETWORKS, PRESETS, showLink, showNetwork } from './phone-networks.js';
import { isHere, nameOf, state } from './phone-state.js';
import { buildTabs, markNews } from './phone-tabs.js';
import { complain, reply, write, writeFile, writeText } from './phone-write.js';

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
// The network shows "typing" for at most this long.
const TYPING_MS = 25_000;

/** The person who writes in this tab: the last one who was chosen here. */
const personKey = () => `person-${state.network.person.field}`;

function readPerson() {
  const kept = JSON.parse(localStorage.getItem(personKey()) ?? 'null');
  return PRESETS.find((preset) => preset.name === kept?.name && nameOf(preset) === nameOf(kept)) ?? kept ?? PRESETS[0];
}

function showPeople() {
  const people = PRESETS.includes(state.person) ? PRESETS : [...PRESETS, state.person];
  const buttons = people.map((person, index) => {
    const face = make('span', ['face', 'face second', 'face other'][index], person.name.slice(0, 1).toUpperCase());
    face.setAttribute('aria-hidden', 'true');
    const button = makeButton('', () => become(person));
    button.className = 'person';
    button.setAttribute('aria-pressed', String(person === state.person));
    button.append(face, make('span', '', person.name, make('small', '', state.network.person.show(nameOf(person)))));
    return button;
  });
  byId('people').replaceChildren(...buttons);
}

function become(person) {
  state.person = person;
  localStorage.setItem(personKey(), JSON.stringify(person));
  reply(null);
  complain('');
  showPeople();
  void load();
}

function open(network) {
  state.network = network;
  state.arrived = null;
  byId('desk').classList.toggle('at-shop', Boolean(network.isShop));
  byId('shop').hidden = !network.isShop;
  if (network.isShop) return openShop();
  showNetwork(network);
  state.company = null;
  state.items = new Map();
  showTyping(false);
  byId('chat').replaceChildren();
  become(readPerson());
}

/** The shop is loaded when its tab is opened for the first time. */
function openShop() {
  if (!byId('shop-page').src) byId('shop-page').src = '/demo';
  const own = make('a', '', 'Open the shop in a tab of its own');
  own.href = '/demo';
  own.target = '_blank';
  byId('link').hidden = false;
  byId('link').replaceChildren(
    make('p', '', 'A shop with the web chat of the platform on its page. You are a visitor: open the chat, and write.'),
    own,
  );
}

function showCompany() {
  const { company } = state;
  byId('company-name').textContent = company?.name ?? 'No company yet';
  byId('company-face').textContent = (company?.name ?? '?').slice(0, 1).toUpperCase();
  byId('company-state').textContent = state.isTyping
    ? 'typing…'
    : company && company.detail !== company.name
      ? company.detail
      : '';
}

async function loadCompanies() {
  const { network } = state;
  const { accounts, reads_alone: readsAlone } = await control(`phone/accounts?network=${network.id}`);
  if (network !== state.network) return;
  const kept = localStorage.getItem(`company-${network.id}`);
  state.company = accounts.find(({ id }) => id === kept) ?? accounts[0] ?? null;
  state.readsAlone = readsAlone;
  byId('reads').hidden = readsAlone === null;
  byId('reads-alone').checked = readsAlone === true;
  const options = accounts.map((account) => {
    const option = make(
      'option',
      '',
      account.name === account.detail ? account.name : `${account.name} ${account.detail}`,
    );
    option.value = account.id;
    option.selected = account === state.company;
    return option;
  });
  byId('company').replaceChildren(...options);
  showCompany();
  showLink(network, state.company);
}

/** Loads the whole conversation: at the start, for another person or network, and after a lost connection. */
async function load() {
  const { person, network } = state;
  if (network.isShop) return;
  // What arrives from now on. Only the load that began last shows its answer, because it may have what an earlier one lacks.
  const arrived = [];
  state.arrived = arrived;
  await loadCompanies();
  if (arrived !== state.arrived) return;
  if (state.company === null) return showAll();
  const query = new URLSearchParams({ network: network.id, account: state.company.id, contact: nameOf(person) });
  const { items } = await control(`phone/messages?${query}`);
  if (arrived !== state.arrived) return;
  state.items = new Map(items.map((item) => [item.id, item]));
  for (const item of arrived) state.items.set(item.id, item);
  state.arrived = null;
  showAll();
}

function showTyping(isTyping) {
  clearTimeout(state.typingTimer);
  state.isTyping = isTyping;
  if (isTyping) state.typingTimer = setTimeout(() => showTyping(false), TYPING_MS);
  showCompany();
}

byId('someone-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { field, read, label } = state.network.person;
  const contact = read(byId('contact').value.trim());
  byId('contact').setCustomValidity(contact === null ? `This is no ${label.toLowerCase()}.` : '');
  if (contact === null) return byId('contact').reportValidity();
  byId('someone').open = false;
  become({ name: byId('name').value.trim(), [field]: contact });
});
byId('contact').addEventListener('input', ({ target }) => target.setCustomValidity(''));
byId('company').addEventListener('change', (event) => {
  localStorage.setItem(`company-${state.network.id}`, event.target.value);
  void load();
});
byId('reads-alone').addEventListener('change', ({ target }) => {
  void control('phone/settings', { network: state.network.id, reads_alone: target.checked }, 'PUT');
});
byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const isEmpty = byId('text').value.trim() === '' && !(state.network.isMail && byId('subject').value.trim() !== '');
  if (!isEmpty) void writeText({ type: 'text' });
});
// In a chat the return key sends, as phones do; a mail has lines, and is sent by Ctrl and the return key.
byId('text').addEventListener('keydown', (event) => {
  const isSend =
    event.key === 'Enter' &&
    !event.isComposing &&
    (state.network.isMail ? event.ctrlKey || event.metaKey : !event.shiftKey);
  if (!isSend) return;
  event.preventDefault();
  byId('composer').requestSubmit();
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

buildTabs(NETWORKS, open);
follow('messages', load, {
  item: ({ item, ...place }) => {
    const isNew = !state.known.has(item.id);
    state.known.add(item.id);
    if (!isHere(place)) return void (isNew && item.direction === 'in' && markNews(place.network));
    if (item.direction === 'in' && isNew) showTyping(false);
    add(item);
  },
  typing: (place) => isHere(place) && showTyping(true),
  accounts: ({ network }) => network === state.network.id && void load(),
});
