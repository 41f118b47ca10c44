import { make, makeButton, makeIcon, formatTime } from './elements.js';

const MARKS = [
  [/```([^`]+)```/, 'code'],
  [/(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])/, 'strong'],
  [/(?<![\w_])_([^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])/, 'em'],
  [/(?<![\w~])~([^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])/, 's'],
];

/** Turns text with *bold*, _italic_, ~struck~ and ```code``` into nodes, formatted as in the WhatsApp app. */
export function formatText(text) {
  const found = MARKS.map(([pattern, tag]) => ({ match: pattern.exec(text), tag })).filter(({ match }) => match);
  if (found.length === 0) return [text];
  const { match, tag } = found.reduce((a, b) => (b.match.index < a.match.index ? b : a));
  const inner = tag === 'code' ? [match[1]] : formatText(match[1]);
  return [
    text.slice(0, match.index),
    make(tag, '', ...inner),
    ...formatText(text.slice(match.index + match[0].length)),
  ];
}

const words = (text) => (text ? make('div', 'words', ...formatText(String(text))) : null);
const card = (icon, title, detail) =>
  make(
    'div',
    'card',
    make('span', 'mark', makeIcon(icon)),
    make('div', '', String(title ?? ''), make('small', '', String(detail ?? ''))),
  );

/** Shows the file when the sandbox has it; otherwise a card with its name. */
function media(type, part, mediaId) {
  const id = part.id ?? mediaId;
  const tag = { image: 'img', sticker: 'img', video: 'video', audio: 'audio' }[type];
  const file = linkFile(card('document', part.filename ?? type, part.link ?? part.mime_type), id, part.filename);
  if (id === undefined || tag === undefined) return file;
  const element = make(tag, type);
  element.src = `/sandbox/media/${encodeURIComponent(id)}`;
  if (tag === 'img') element.alt = part.caption ?? type;
  else element.controls = true;
  // The browser cannot show every format that the network takes.
  element.addEventListener('error', () => element.replaceWith(file));
  return element;
}

/** A document is saved by a click, because no page shows it. */
function linkFile(shown, id, name = '') {
  if (id === undefined) return shown;
  const link = make('a', '', shown);
  link.href = `/sandbox/media/${encodeURIComponent(id)}`;
  link.download = name;
  return link;
}

const isMedia = (type) => ['image', 'video', 'audio', 'document', 'sticker'].includes(type);

function choices(list, onChoose) {
  const buttons = list.map(({ icon, title, detail, answer }) => {
    const label = [icon ? makeIcon(icon) : '', title, detail ? make('small', '', detail) : ''];
    if (!answer) return make('span', '', ...label);
    const button = makeButton('', () => onChoose(answer));
    button.append(...label);
    return button;
  });
  return buttons.length === 0 ? null : make('div', 'choices', ...buttons);
}

function interactive(part, onChoose) {
  const { action = {}, header = {}, body = {}, footer = {} } = part;
  const replies = (action.buttons ?? []).map(({ reply = {} }) => ({
    title: reply.title,
    answer: { type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } },
  }));
  const rows = (action.sections ?? []).flatMap(({ rows: list = [] }) =>
    list.map((row) => ({
      title: row.title,
      detail: row.description,
      answer: { type: 'interactive', interactive: { type: 'list_reply', list_reply: row } },
    })),
  );
  const link = action.parameters?.display_text ? [{ icon: 'open', title: action.parameters.display_text }] : [];
  return [
    isMedia(header.type) ? media(header.type, header[header.type] ?? {}) : null,
    header.text ? make('div', 'heading', header.text) : null,
    words(body.text),
    footer.text ? make('div', 'foot', footer.text) : null,
    choices([...replies, ...rows, ...link], onChoose),
  ];
}

function template(item, onChoose) {
  const { header, body, footer, buttons = [], header_media: top } = item.preview ?? {};
  const list = buttons.map(({ type, text, payload }) =>
    type === 'QUICK_REPLY'
      ? { title: text, answer: { type: 'button', button: { text, payload } } }
      : { icon: type === 'URL' ? 'open' : 'copy', title: text },
  );
  return [
    top && isMedia(top.type) ? media(top.type, top[top.type] ?? {}) : null,
    header ? make('div', 'heading', header) : null,
    words(body ?? item.body.template?.name),
    footer ? make('div', 'foot', footer) : null,
    choices(list, onChoose),
  ];
}

/** A mail has a subject, a text without marks, and files. Its HTML never becomes markup: the page shows it as it was written. */
const mail = ({ subject, text, is_html: isHtml, files }) => [
  subject ? make('div', 'heading', subject) : null,
  text ? make('div', 'words', text) : null,
  isHtml ? make('span', 'kind', 'HTML') : null,
  ...files.map((file) => media(file.type, file[file.type])),
];

/** Builds the content of a message as nodes. `onChoose` is called with the chosen answer when the person taps a choice. */
function buildContent(item, onChoose) {
  const message = item.body ?? item.message;
  const type = message.type ?? 'text';
  const part = message[type] ?? {};
  if (type === 'text') return [words(part.body)];
  if (type === 'mail') return mail(part);
  if (isMedia(type)) return [media(type, part, item.media_id), words(part.caption)];
  if (type === 'location')
    return [card('place', part.name ?? 'Location', part.address ?? `${part.latitude}, ${part.longitude}`)];
  if (type === 'contacts') {
    return part.map(({ name, phones = [] }) => card('contact', name?.formatted_name, phones[0]?.phone));
  }
  if (type === 'interactive' && item.direction === 'in') return interactive(part, onChoose);
  if (type === 'template') return template(item, onChoose);
  if (type === 'reaction')
    return [make('span', 'kind', part.emoji ? `reacted with ${part.emoji}` : 'took a reaction back')];
  const isChoice = type === 'interactive' || type === 'button';
  return [words(summarize(item)), isChoice ? null : make('span', 'kind', type)];
}

/** Returns one line of text that represents a message when it is quoted. */
export function summarize(item) {
  const message = item.body ?? item.message;
  const type = message.type ?? 'text';
  const part = message[type] ?? {};
  const reply = part.button_reply ?? part.list_reply ?? {};
  const text =
    part.body?.text ??
    part.body ??
    part.subject ??
    part.caption ??
    item.preview?.body ??
    part.text ??
    reply.title ??
    part.name;
  return typeof text === 'string' ? text : type;
}

const STATES = {
  accepted: 'accepted, not sent yet',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  unheard: 'the platform did not take it',
  failed: 'failed',
};

function ticks(state) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 17 11');
  svg.setAttribute('class', `ticks ${state}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', STATES[state]);
  const shapes = {
    accepted: ['M8.5 2.5v3.2l2 1.3', 'M13 5.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 0 1 9 0'],
    sent: ['M4 6l3 3l6-7'],
  };
  for (const shape of shapes[state] ?? ['M1 6l3 3l6-7', 'M7.5 8.6l.6.4l6-7']) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', shape);
    svg.append(path);
  }
  const holder = make('span', '', svg);
  holder.title = STATES[state];
  return holder;
}

/** Returns the state of a contact's message; `delivered` is null while the first try is under way. */
const taken = (delivered) => (delivered === null ? 'accepted' : delivered ? 'delivered' : 'unheard');

/** Builds the line under a message with its time and its status. */
export function buildMeta(item) {
  const state = item.status ?? (item.read ? 'read' : taken(item.delivered));
  const isBad = state === 'failed' || state === 'unheard';
  const why = item.errors?.[0] ? `${item.errors[0].code} ${item.errors[0].title}` : STATES[state];
  const end = isBad ? make('span', 'failed', makeIcon('warning'), why) : ticks(state);
  return make('div', 'meta', formatTime(item.created_at), end);
}

/** Builds the whole bubble of a message. `quoted` is the message that it answers, or undefined. */
export function buildBubble(item, { quoted, reactions, onChoose }) {
  const signs = [...new Set(reactions)].join(' ');
  return make(
    'div',
    signs ? 'bubble reacted' : 'bubble',
    quoted ? make('div', 'quote', ...formatText(summarize(quoted).slice(0, 120))) : null,
    ...buildContent(item, onChoose),
    buildMeta(item),
    signs ? make('span', 'reactions', signs) : null,
  );
}
