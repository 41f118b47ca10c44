import { make, makeButton, timeOf } from './elements.js';

const MARKS = [
  [/```([^`]+)```/, 'code'],
  [/(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])/, 'strong'],
  [/(?<![\w_])_([^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])/, 'em'],
  [/(?<![\w~])~([^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])/, 's'],
];

/** Text with *bold*, _italic_, ~struck~ and ```code``` as the app shows them, as nodes. */
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
const card = (mark, title, detail) =>
  make(
    'div',
    'card',
    make('span', 'mark', mark),
    make('div', '', String(title ?? ''), make('small', '', String(detail ?? ''))),
  );

/** The file itself where the sandbox has it, else a card that names it. */
function media(type, part, mediaId) {
  const id = part.id ?? mediaId;
  const tag = { image: 'img', sticker: 'img', video: 'video', audio: 'audio' }[type];
  if (id === undefined || tag === undefined) return card('📄', part.filename ?? type, part.link ?? id);
  const element = make(tag, type);
  element.src = `/sandbox/media/${encodeURIComponent(id)}`;
  if (tag === 'img') element.alt = part.caption ?? type;
  else element.controls = true;
  element.addEventListener('error', () => element.replaceWith(card('📄', type, part.link ?? id)));
  return element;
}

const isMedia = (type) => ['image', 'video', 'audio', 'document', 'sticker'].includes(type);

function choices(list, onChoose) {
  const buttons = list.map(({ title, detail, answer }) => {
    const label = [title, detail ? make('small', '', detail) : ''];
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
  const link = action.parameters?.display_text ? [{ title: `↗ ${action.parameters.display_text}` }] : [];
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
  const list = buttons.map(({ type, text }) =>
    type === 'QUICK_REPLY'
      ? { title: text, answer: { type: 'button', button: { text, payload: text } } }
      : { title: `${type === 'URL' ? '↗' : '⧉'} ${text}` },
  );
  return [
    top && isMedia(top.type) ? media(top.type, top[top.type] ?? {}) : null,
    header ? make('div', 'heading', header) : null,
    words(body ?? item.body.template?.name),
    footer ? make('div', 'foot', footer) : null,
    choices(list, onChoose),
  ];
}

/** What a message says, as nodes. `onChoose` is called with the raw answer when the person taps a choice. */
function contentOf(item, onChoose) {
  const message = item.body ?? item.message;
  const type = message.type ?? 'text';
  const part = message[type] ?? {};
  if (type === 'text') return [words(part.body)];
  if (isMedia(type)) return [media(type, part, item.media_id), words(part.caption)];
  if (type === 'location')
    return [card('📍', part.name ?? 'Location', part.address ?? `${part.latitude}, ${part.longitude}`)];
  if (type === 'contacts') {
    return part.map(({ name, phones = [] }) => card('👤', name?.formatted_name, phones[0]?.phone));
  }
  if (type === 'interactive' && item.direction === 'in') return interactive(part, onChoose);
  if (type === 'template') return template(item, onChoose);
  if (type === 'reaction')
    return [make('span', 'kind', part.emoji ? `reacted with ${part.emoji}` : 'took a reaction back')];
  const isChoice = type === 'interactive' || type === 'button';
  return [words(summaryOf(item)), isChoice ? null : make('span', 'kind', type)];
}

/** One line that stands for the message, for a quote. */
export function summaryOf(item) {
  const message = item.body ?? item.message;
  const type = message.type ?? 'text';
  const part = message[type] ?? {};
  const reply = part.button_reply ?? part.list_reply ?? {};
  const text =
    part.body?.text ?? part.body ?? part.caption ?? item.preview?.body ?? part.text ?? reply.title ?? part.name;
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

/** A contact's message: null while its first try is on the way. */
const taken = (delivered) => (delivered === null ? 'accepted' : delivered ? 'delivered' : 'unheard');

/** The line under a message: its time and how far it came. */
export function metaOf(item) {
  const state = item.status ?? (item.read ? 'read' : taken(item.delivered));
  const isBad = state === 'failed' || state === 'unheard';
  const why = item.errors?.[0] ? `${item.errors[0].code} ${item.errors[0].title}` : STATES[state];
  const end = isBad ? make('span', 'failed', `⚠ ${why}`) : ticks(state);
  return make('div', 'meta', timeOf(item.created_at), end);
}

/** The whole bubble. `quoted` is the message that it answers, if there is one. */
export function bubbleOf(item, { quoted, reactions, onChoose }) {
  const signs = [...new Set(reactions)].join(' ');
  return make(
    'div',
    signs ? 'bubble reacted' : 'bubble',
    quoted ? make('div', 'quote', ...formatText(summaryOf(quoted).slice(0, 120))) : null,
    ...contentOf(item, onChoose),
    metaOf(item),
    signs ? make('span', 'reactions', signs) : null,
  );
}
