import { randomUUID } from 'node:crypto';
import type { Json } from '../support/platform.ts';
import { openSite, visit, type TestVisitor } from '../support/web-chat.ts';
import type { OpenScene } from './scene.ts';

export const openWebChat: OpenScene = async (platform) => {
  const inbox = await openSite(platform);
  const visitors = new Map<string, TestVisitor>();
  const stranger = await visit(platform, inbox);
  const find = (person: string): TestVisitor => visitors.get(person) ?? stranger;
  const callPage = ({ session }: TestVisitor, path: string, body: string | FormData, headers = {}): Promise<Response> =>
    fetch(`${platform.url}/web/v1/inboxes/${inbox}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.token}`, ...headers },
      body,
    });
  const listAnswers = async (person: string): Promise<Json[]> =>
    (await find(person).list()).result.filter(({ client_id }: Json) => client_id === null);
  return {
    inbox,
    makePerson: async () => {
      const visitor = await visit(platform, inbox);
      visitors.set(visitor.session.visitor, visitor);
      return visitor.session.visitor;
    },
    // A visitor has no name until they tell it, or the site does.
    describeContact: () => ({ name: null, source: 'WIDGET' }),
    write: async ({ from, id, text, picture }) => {
      const client_id = id?.split(':').at(-1) ?? randomUUID();
      const form = new FormData();
      form.set('client_id', client_id);
      if (picture) form.set('file', new Blob([new Uint8Array(picture)]), 'a.jpg');
      const answer = picture
        ? await callPage(find(from), '/files', form)
        : await callPage(find(from), '/messages', JSON.stringify({ client_id, content: text }), {
            'content-type': 'application/json',
          });
      const { _id } = (await answer.json()) as Json;
      return (await platform.call(200, 'GET', `/v1/messages/${_id}`)).body.external_id;
    },
    listTaken: async (person) => (await listAnswers(person)).map(({ content }) => content ?? ''),
    readTaken: async (person) => {
      const { media } = (await listAnswers(person)).at(-1);
      return Buffer.from(await (await fetch(media.url)).arrayBuffer());
    },
    // The page shows the name of the author beside the message, so the text has no line for it.
    olga: { before: '', counts: false },
    reports: ['DELIVERED', 'READ'],
    report: ({ _id, person }, status) =>
      find(person).call(200, 'POST', '/receipts', { body: { [`${status.toLowerCase()}_to`]: _id } }),
    // Nothing is between the platform and its visitors that could fail, or that could tell of a message.
    returnOwn: null,
    writeElsewhere: null,
    breakNext: null,
    awaitFault: async () => undefined,
    post: async (raw) => (await callPage(stranger, '/messages', raw, { 'content-type': 'application/json' })).status,
    broken: [{ client_id: 7, content: 'text' }, { client_id: randomUUID(), content: {} }, { content: 'text' }].map(
      (body) => JSON.stringify(body),
    ),
    templates: null,
  };
};
