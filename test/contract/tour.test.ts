/** The commands of the README and of the guides, run word by word on new installations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../support/platform.ts';
import { readCommands, startNewInstallation } from '../support/shown-commands.ts';

/** The guides whose calls go on where the first steps end. */
const GUIDES = [
  'messages',
  'conversations',
  'contacts',
  'imports',
  'templates',
  'campaigns',
  'tables',
  'agents',
  'phone',
];

/** Waits for the texts of the agent, which are prepared while the program starts. A reader of the README is slower than that. */
const KNOWLEDGE_READY = `until [ "$(curl -s "$API/v1/knowledge?status=PROCESSING" -H "Authorization: Bearer $KEY" |
  pick .result.length)" = 0 ]; do sleep 0.1; done
`;

test("the README's five minutes work on a new installation: a reply, the events of the webhook, and an answer of the agent", async (t) => {
  const installation = await startNewInstallation(t);
  const commands = await readCommands('README.md', 'Five minutes');
  const printed = await installation.run(commands.replace(/^ *AGENT=/m, `${KNOWLEDGE_READY}$&`));
  assert.match(printed, /^(SENT|DELIVERED|READ)$/m, printed);
  assert.match(printed, /\[ 'MESSAGE_RECEIVED', '\w+' \]/, printed);
  assert.match(printed, /We deliver everywhere in Recife/, printed);
  const messages = await installation.readPhones();
  assert.deepEqual(
    messages.map(({ to, body }) => [to, body.text.body]),
    [['5511966664444', 'Yes, we are here.']],
  );
});

test('the tour works on a new installation: the phone gets a text, each kind of file, a template and a bulk message', async (t) => {
  const installation = await startNewInstallation(t);
  const printed = await installation.run(await readCommands('docs/tour.md'));
  for (const words of ['Hello, is anybody there?', 'Yes, we are here.', 'order *4821* is on its way', 'sentCount: 1'])
    assert.ok(printed.includes(words), `the tour prints ${words}: ${printed}`);

  const messages = await installation.readPhones();
  assert.deepEqual(
    messages.map(({ to, type, body }: Json) => [to, type, body.image?.caption ?? null, body.audio?.voice ?? null]),
    [
      ['5511966664444', 'text', null, null],
      ['5511966664444', 'image', 'Still warm', null],
      ['5511966664444', 'audio', null, true],
      ['5511966664444', 'video', null, null],
      ['5511966664444', 'document', null, null],
      ['5511966664444', 'sticker', null, null],
      ['5511966664444', 'template', null, null],
      ['5511988881001', 'template', null, null],
    ],
  );
});

test('the first steps of the guides work on a new installation, and so does every command of the guides after them, one guide after the other', async (t) => {
  const installation = await startNewInstallation(t);
  const parts = [await readCommands('docs/tour.md', 'First steps')];
  for (const guide of GUIDES) parts.push(await readCommands(`docs/${guide}.md`));
  const printed = await installation.run(parts.join(''));
  assert.doesNotMatch(printed, /^(undefined|null|FAILED)$/m, printed);
  assert.match(printed, /\[ 'CONTACT', 'Hello, is anybody there\?' \]/);
  assert.match(printed, /^(SENT|DELIVERED|READ)$/m, printed);
  assert.match(printed, /\[ 'MESSAGE_RECEIVED', 'DELIVERED' \]/, printed);
  const [{ to, body }] = (await installation.readPhones()) as [Json];
  assert.deepEqual([to, body.text.body], ['5511966664444', 'Yes, we are here.']);
});
