// Helpers that create elements. Text is always added as text, so that nothing a stranger wrote can become markup.

/** Creates an element with a class and children; strings become text, and null is left out. */
export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Creates a button; a screen reader reads `label` when its content is only a pictogram. */
export function makeButton(content, onClick, label) {
  const button = make('button', '', content);
  button.type = 'button';
  if (label) button.setAttribute('aria-label', label);
  button.addEventListener('click', onClick);
  return button;
}

const ICONS = {
  contact: ['M8 8a2.8 2.8 0 1 0 0-5.6a2.8 2.8 0 0 0 0 5.6z', 'M2.8 13.8c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4'],
  copy: ['M6 6h7.5v7.5H6z', 'M3.5 10h-1V2.5H10v1'],
  document: ['M4 1.8h5.2L12.5 5v9.2H4z', 'M9 1.8V5.2h3.5'],
  open: ['M6 3.5H3v9.5h9.5v-3', 'M9 2.5h4.5V7', 'M13 3L7.5 8.5'],
  place: [
    'M8 14.2s4.6-4.3 4.6-7.6a4.6 4.6 0 0 0-9.2 0c0 3.3 4.6 7.6 4.6 7.6z',
    'M8 8.2a1.6 1.6 0 1 0 0-3.2a1.6 1.6 0 0 0 0 3.2z',
  ],
  read: ['M1.5 8.5l3 3l5.5-7', 'M7.5 11l.5.5l6-7'],
  reply: ['M6.5 3.5L2.5 7.5l4 4', 'M2.5 7.5h6.2c2.8 0 4.8 1.8 4.8 5'],
  warning: ['M8 2.2l6.3 11.3H1.7z', 'M8 6.5v3.2', 'M8 11.6v.2'],
};

/** Draws a pictogram, which screen readers skip: the words beside it, or the label of its button, say the same. */
export function makeIcon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  for (const shape of ICONS[name]) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', shape);
    svg.append(path);
  }
  return svg;
}

export const byId = (id) => document.getElementById(id);

export const formatTime = (iso, options = { hour: '2-digit', minute: '2-digit' }) =>
  new Date(iso).toLocaleTimeString([], options);

/** Calls the control API with JSON. When the call is refused, throws an error with the API's sentence. */
export async function control(path, body, method = body === undefined ? 'GET' : 'POST') {
  const response = await fetch(`/sandbox/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? `The sandbox answered ${response.status}.`);
  return answer;
}

/** Follows a topic of the live stream. `onOpen` runs at each connection, so that the page loads what it missed. */
export function follow(topic, onOpen, handlers) {
  const source = new EventSource(`/sandbox/live?topic=${topic}`);
  const lamp = byId('live');
  const show = (isOn) => {
    lamp.classList.toggle('on', isOn);
    lamp.textContent = isOn ? 'live' : 'reconnecting';
  };
  source.addEventListener('open', () => {
    show(true);
    onOpen();
  });
  source.addEventListener('error', () => show(false));
  for (const [name, handle] of Object.entries({ reset: onOpen, ...handlers })) {
    source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  }
}
