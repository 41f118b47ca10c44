// What differs from network to network: how people are named there, what they can send, and how the company's account is connected.
import { byId, control, make, makeButton } from './elements.js';

const digits = (text) => text.replace(/\D/g, '');
/** Returns a key that is the same for a person's number with and without the Brazilian ninth digit. */
const numberKey = (number) => digits(number).replace(/^(55\d{2})9(\d{8})$/, '$1$2') || number;

/** The ways in which people are named. `read` turns what somebody has typed into the name; null when it is none. */
const NUMBER = {
  field: 'number',
  label: 'Phone number',
  inputMode: 'tel',
  read: (text) => (/^[+0-9 ().-]{7,24}$/.test(text) ? digits(text) : null),
  show: (number) => `+${digits(number)}`,
  isSame: (a, b) => numberKey(a) === numberKey(b),
};
const PROFILE = {
  field: 'profile',
  label: 'Profile, such as ana-costa',
  inputMode: 'text',
  read: (text) => (/^[\w-]{3,100}$/.test(text) ? text.toLowerCase() : null),
  show: (profile) => profile,
  isSame: (a, b) => a === b,
};
const ADDRESS = {
  field: 'address',
  label: 'E-mail address',
  inputMode: 'email',
  read: (text) => (/^[^\s<>@",;:]+@[^\s<>@",;:]+$/.test(text) ? text.toLowerCase() : null),
  show: (address) => address,
  isSame: (a, b) => a === b,
};

export const PRESETS = [
  { name: 'Maria Silva', number: '5511988887777', profile: 'maria-silva', address: 'maria.silva@client.example' },
  { name: 'João Pereira', number: '5521977776666', profile: 'joao-pereira', address: 'joao.pereira@client.example' },
];

const PHONE_CHIPS = ['send-image', 'send-location', 'send-contact'];

export const NETWORKS = [
  {
    id: 'whatsapp',
    label: 'WhatsApp',
    person: NUMBER,
    chips: PHONE_CHIPS,
    reacts: true,
    hint: 'No messages yet. Say hello: the platform gets it as a signed notification.',
    describe: () => [],
  },
  {
    id: 'partner',
    label: 'Partner',
    // A narrow screen has no place for it.
    more: ' WhatsApp',
    person: NUMBER,
    chips: PHONE_CHIPS,
    reacts: true,
    hint: 'No messages yet. Say hello: it goes through an Evolution API server that is paired with the company’s phone.',
    describe: describeInstance,
  },
  {
    id: 'linkedin',
    label: 'LinkedIn',
    person: PROFILE,
    chips: ['send-image'],
    reacts: true,
    hint: 'No messages yet. Write to the company on LinkedIn.',
    describe: describeAccount,
  },
  {
    id: 'mail',
    label: 'Mail',
    person: ADDRESS,
    chips: ['send-image'],
    reacts: false,
    isMail: true,
    hint: 'No mails yet. Write one: the platform reads it from the company’s mailbox.',
    describe: describeMailbox,
  },
  { id: 'web-chat', label: 'Web chat', isShop: true },
];

const STATES = { open: 'Connected', waiting: 'Waiting for a phone', closed: 'Signed out' };

const lamp = (state) => make('p', `lamp ${state}`, STATES[state]);
const act = (label, run) => {
  const button = makeButton(label, () => void run());
  button.className = 'button';
  return button;
};

function describeInstance({ id, state }) {
  const become = (next) => () => control('gateway/instances', { name: id, state: next }, 'PATCH');
  if (state === 'open') {
    return [lamp(state), make('p', '', 'The company’s phone is paired.'), act('Sign out the phone', become('close'))];
  }
  const code = make('img', 'code');
  code.src = '/pages/code.svg';
  code.alt = 'The code that the gateway shows';
  const words =
    state === 'waiting'
      ? 'The code is open in the console. Scan it with the company’s phone.'
      : 'No phone is paired, so no messages can be sent or received. Scan the code with the company’s phone.';
  return [lamp(state), code, make('p', '', words), act('Scan the code', become('open'))];
}

function describeAccount({ id, state }) {
  const become = (status) => () => control('network/accounts', { id, status }, 'PATCH');
  return state === 'open'
    ? [lamp(state), make('p', '', 'The account is logged in.'), act('Log out', become('CREDENTIALS'))]
    : [
        lamp(state),
        make('p', '', 'The network has ended the log-in, as it does after a password change.'),
        act('Log in again', become('OK')),
      ];
}

function describeMailbox() {
  const refusal = { recipient: [{ code: 550, message: 'There is no such mailbox' }] };
  const note = make('p', 'unfilled');
  const refuse = async () => {
    await control('mail/settings', { faults: refusal }, 'PUT');
    note.textContent = 'The company’s next mail will be rejected.';
  };
  return [
    make('p', '', 'The company reads this mailbox over IMAP and sends over SMTP.'),
    act('Reject the next mail', refuse),
    note,
  ];
}

/** Shows what the tab has for its network: the fields of the composer, and the connection of the company's account. */
export function showNetwork(network) {
  byId('contact-label').textContent = network.person.label;
  byId('contact').inputMode = network.person.inputMode;
  for (const chip of PHONE_CHIPS) byId(chip).hidden = !network.chips.includes(chip);
  byId('html-choice').hidden = !network.isMail;
  byId('subject').hidden = !network.isMail;
  byId('chat').classList.toggle('mails', Boolean(network.isMail));
  byId('text').rows = network.isMail ? 3 : 1;
  byId('text').placeholder = network.isMail ? 'Write a mail' : 'Write a message';
}

export function showLink(network, account) {
  const parts = account ? network.describe(account) : [];
  byId('link').hidden = parts.length === 0;
  byId('link').replaceChildren(...parts);
}
