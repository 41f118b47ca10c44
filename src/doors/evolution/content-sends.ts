/** The routes that send places, contact cards, reactions, and offers to choose from. */
import { readList, readNumber, readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { badRequest, refused, required } from './errors.ts';
import { expectTexts, readGiven } from './given.ts';
import { findMessage } from './messages.ts';
import type { EvolutionRoutes } from './route.ts';
import { postContent, type Content, type Send } from './sending.ts';
import { sendRoute } from './sends.ts';

const PATH = '/v1/messages/send-content';
const makeContent = (contentType: string, part: JsonObject): Content => ({
  path: PATH,
  message: { contentType, ...part },
});

function makeLocation({ given }: Send): Content {
  const [name, address] = expectTexts(given, 'latitude', 'longitude', 'name', 'address').slice(2);
  const [latitude, longitude] = [readNumber(given, 'latitude'), readNumber(given, 'longitude')];
  return makeContent('LOCATION', { location: { latitude, longitude, name, address } });
}

function makeContacts({ given }: Send): Content {
  const cards = readList(given, 'contact');
  if (cards.length === 0) throw required('contact');
  return makeContent('CONTACTS', { contacts: cards.map(readCard) });
}

function readCard(given: unknown): JsonObject {
  const card = (typeof given === 'object' ? given : {}) as JsonObject;
  const [name, phone] = expectTexts(card, 'fullName', 'phoneNumber');
  return { name, phone, ...readOptional(card, 'organization', 'email', 'url') };
}

/** Returns those of the texts that are there. */
const readOptional = (given: unknown, ...names: string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, readText(given, name)]).filter(([, text]) => text !== null));

/** Evolution shows the title above the text, which is the description. */
function readAround(given: JsonObject, footerName: string): { content: string; around: JsonObject } {
  const [title, description, footer] = [
    readText(given, 'title'),
    readText(given, 'description'),
    readText(given, footerName),
  ];
  const content = description ?? title;
  if (content === null) throw required('description');
  return { content, around: { ...(description && title && { header: title }), ...(footer && { footer }) } };
}

/** Up to three replies, or one address: the network knows no other buttons. */
function makeButtons({ given }: Send): Content {
  const buttons = readList(given, 'buttons');
  if (buttons.length === 0) throw required('buttons');
  const types = new Set(buttons.map((button) => readText(button, 'type') ?? 'reply'));
  if (readText(given, 'thumbnailUrl') !== null || types.size !== 1) throw refused();
  if (types.has('url') ? buttons.length > 1 : !types.has('reply') || buttons.length > 3) throw refused();
  const { content, around } = readAround(given, 'footer');
  const [first] = buttons;
  if (types.has('url')) {
    const link = { title: readText(first, 'displayText'), url: readText(first, 'url') };
    return makeContent('INTERACTIVE', { content, interactive: { ...around, link } });
  }
  const replies = buttons.map((button, index) => {
    const title = readText(button, 'displayText');
    return { id: readText(button, 'id') ?? title ?? String(index), title };
  });
  return makeContent('INTERACTIVE', { content, interactive: { ...around, buttons: replies } });
}

function makeList({ given }: Send): Content {
  const [, button] = expectTexts(given, 'title', 'buttonText');
  // In version 1 the sections had no name of their own.
  const sections = readList(given, 'sections').map((section) => ({
    title: readText(section, 'title'),
    rows: readList(section, 'rows').map((row) => ({
      id: readText(row, 'rowId'),
      title: readText(row, 'title'),
      ...readOptional(row, 'description'),
    })),
  }));
  if (sections.length === 0) throw required('sections');
  const { content, around } = readAround(given, 'footerText');
  return makeContent('INTERACTIVE', { content, interactive: { ...around, list: { button, sections } } });
}

/** A reaction names its message, and so the chat that it is sent to. */
async function sendReaction(send: Send): Promise<JsonObject> {
  const { caller, inbox, given } = send;
  const key = readObject(given, 'key');
  const id = readText(key, 'id');
  if (id === null) throw required('key');
  if (typeof given.reaction !== 'string') throw badRequest('"reaction" must be a string');
  const target = await findMessage(caller, inbox, id);
  if (!target) throw badRequest('Message not found');
  const reaction = { message: target._id as string, emoji: given.reaction || null };
  const content = makeContent('REACTION', { reaction });
  return postContent(send, { conversationId: target.conversation as string }, content);
}

export const CONTENT_ROUTES: EvolutionRoutes = {
  'POST message/sendLocation': sendRoute('locationMessage', makeLocation),
  'POST message/sendContact': sendRoute('contactMessage', makeContacts, 'contact'),
  'POST message/sendButtons': sendRoute('buttonMessage', makeButtons),
  'POST message/sendList': sendRoute('listMessage', makeList),
  'POST message/sendReaction': {
    hasFile: true,
    run: (caller, asked, inbox) => sendReaction({ caller, asked, inbox, given: readGiven(asked, 'reactionMessage') }),
  },
};
