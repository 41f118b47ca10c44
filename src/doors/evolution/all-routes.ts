/** All routes of the door, and the answers to questions about what the platform does not have. */
import { CHAT_ROUTES } from './chats.ts';
import { CONTACT_ROUTES } from './contacts.ts';
import { CONTENT_ROUTES } from './content-sends.ts';
import { INSTANCE_CHANGES } from './instance-changes.ts';
import { INSTANCE_ROUTES } from './instances.ts';
import { SEND_ROUTES } from './sends.ts';
import { WEBHOOK_ROUTES } from './webhook-routes.ts';

export const ROUTES = new Map(
  Object.entries({
    ...INSTANCE_ROUTES,
    ...INSTANCE_CHANGES,
    ...SEND_ROUTES,
    ...CONTENT_ROUTES,
    ...CHAT_ROUTES,
    ...CONTACT_ROUTES,
    ...WEBHOOK_ROUTES,
  }),
);

/** Integrations of Evolution that have settings: none are stored here, and setting them is refused. */
const SETTINGS = ['proxy', 'rabbitmq', 'sqs', 'nats', 'pusher', 'kafka', 'websocket'];
/** Its bots, of which an instance may have several. */
const BOTS = ['typebot', 'openai', 'dify', 'flowise', 'n8n', 'evolutionBot', 'evoai'];
const NO_CHATWOOT = {
  enabled: false,
  accountId: '',
  token: '',
  url: '',
  nameInbox: '',
  signMsg: false,
  signDelimiter: '',
  reopenConversation: false,
  conversationPending: false,
  mergeBrazilContacts: false,
  importContacts: false,
  importMessages: false,
  daysLimitImportMessages: 0,
  ignoreJids: [],
  organization: '',
  logo: '',
};

const ANSWERS = new Map<string, unknown>([
  ...SETTINGS.map((name): [string, unknown] => [`GET ${name}/find`, null]),
  ...BOTS.flatMap((name): [string, unknown][] => [
    [`GET ${name}/find`, []],
    [`GET ${name}/fetch`, null],
    [`GET ${name}/fetchSettings`, null],
    [`GET ${name}/fetchSessions`, []],
    [`GET ${name}/creds`, []],
  ]),
  ['GET chatwoot/find', NO_CHATWOOT],
]);

/** Returns the answer to a question about settings that the platform does not have; undefined for all that is refused. */
export const findAnswer = (key: string): unknown => ANSWERS.get(key);
