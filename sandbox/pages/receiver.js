import { byId, control, follow, make, formatTime } from './elements.js';

// More rows than anybody reads. The sandbox itself keeps the last thousand deliveries.
const ROWS_SHOWN = 200;
// A benchmark delivers thousands of events a second, so the page is drawn at most ten times a second.
const DRAW_EVERY_MS = 100;

const state = { waiting: [], events: new Set(), drawTimer: 0 };

const eventTone = (event) =>
  ['message', 'conversation', 'contact'].find((noun) => event.toLowerCase().startsWith(noun)) ?? 'other';

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Indents and colours JSON and returns it as nodes; text that is not JSON is returned unchanged. */
function prettyJson(text) {
  let indented;
  try {
    indented = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Failure policy: a body that is not JSON is shown as it arrived.
    return [text];
  }
  const nodes = [];
  let end = 0;
  for (const match of indented.matchAll(TOKEN)) {
    const [whole, string, colon, number] = match;
    const kind = string ? (colon ? 'key' : 'string') : number ? 'number' : 'word';
    nodes.push(indented.slice(end, match.index), make('span', kind, string ?? whole), colon ?? '');
    end = match.index + whole.length;
  }
  return [...nodes, indented.slice(end)];
}

/** Returns a short summary of a body, which a closed row shows. */
function summarizeBody(body) {
  try {
    const { data } = JSON.parse(body);
    const text = data?.content ?? data?.name ?? data?.title ?? data?.status ?? data?._id ?? '';
    return typeof text === 'string' ? text : '';
  } catch {
    // Failure policy: a body that is not JSON is shown by its first characters.
    return body.slice(0, 80);
  }
}

function buildDetails({ headers, body, method, path }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return make(
    'div',
    'inside',
    make('div', '', make('h2', '', 'Body'), make('pre', '', ...prettyJson(body))),
    make('div', '', make('h2', '', 'Headers'), make('pre', '', [`${method} ${path}`, ...lines].join('\n'))),
  );
}

function buildRow(delivery) {
  const name = delivery.event ?? delivery.method;
  const event = make('span', `event ${delivery.event ? eventTone(name) : ''}`, name);
  const when = make(
    'time',
    'when',
    formatTime(delivery.at, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }),
  );
  when.dateTime = delivery.at;
  const again = delivery.duplicate ? make('span', 'twice', 'delivered before') : null;
  const details = make(
    'details',
    '',
    make('summary', '', event, make('span', 'what', summarizeBody(delivery.body) || delivery.path), again, when),
  );
  // The content of a row is created when the row is first opened, because most rows are never opened.
  details.addEventListener('toggle', () => details.children.length === 1 && details.append(buildDetails(delivery)));
  const row = make('li', 'delivery new', details);
  row.dataset.event = delivery.event ?? '';
  return row;
}

const isWanted = (event) => byId('event').value === '' || byId('event').value === event;

function draw() {
  state.drawTimer = 0;
  const list = byId('list');
  list.querySelector('.empty')?.remove();
  const fresh = state.waiting.splice(0).slice(-ROWS_SHOWN);
  for (const { event } of fresh) addEvent(event);
  list.prepend(
    ...fresh
      .filter(({ event }) => isWanted(event ?? ''))
      .map(buildRow)
      .toReversed(),
  );
  while (list.children.length > ROWS_SHOWN) list.lastElementChild.remove();
  if (list.children.length === 0) list.append(make('li', 'empty', 'Nothing has arrived yet.'));
  void showSum();
}

async function showSum() {
  const { count, by_event: byEvent, duplicates } = await control('deliveries/stats');
  const kinds = Object.keys(byEvent).length;
  const again = duplicates === 0 ? '' : `, ${duplicates} of them a second time`;
  byId('sum').textContent =
    count === 0 ? '' : `${count} received, ${kinds} ${kinds === 1 ? 'kind' : 'kinds'} of event${again}`;
}

function addEvent(event) {
  if (!event || state.events.has(event)) return;
  state.events.add(event);
  const option = make('option', '', event);
  option.value = event;
  byId('event').append(option);
}

async function load() {
  const { deliveries } = await control('deliveries');
  byId('list').replaceChildren();
  for (const { event } of deliveries) addEvent(event);
  state.waiting = deliveries.filter(({ event }) => isWanted(event ?? '')).slice(-ROWS_SHOWN);
  draw();
  byId('mode').value = (await control('receiver')).mode;
}

async function clear() {
  await control('deliveries', undefined, 'DELETE');
  await load();
}

byId('address').textContent = `${location.origin}/receiver/webhook`;
byId('event').addEventListener('change', () => void load());
byId('clear').addEventListener('click', () => void clear());
byId('mode').addEventListener('change', ({ target: { value } }) => {
  void control('receiver', value === 'status' ? { mode: value, status: 500 } : { mode: value }, 'PUT');
});
follow('deliveries', load, {
  delivery: (delivery) => {
    state.waiting.push(delivery);
    state.drawTimer ||= setTimeout(draw, DRAW_EVERY_MS);
  },
});
