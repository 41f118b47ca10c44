// Helpers that create elements. Text is always added as text, so that nothing a stranger wrote can become markup.

/** Creates an element with a class and children; strings become text, and null is left out. */
export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Creates a button; a screen reader reads `label` when the button's text is only a symbol. */
export function makeButton(text, onClick, label) {
  const button = make('button', '', text);
  button.type = 'button';
  if (label) button.setAttribute('aria-label', label);
  button.addEventListener('click', onClick);
  return button;
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
