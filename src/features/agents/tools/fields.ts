/** Functions that read and write the custom fields of the contact and the conversation. */
import { readContacts } from '../../contacts/contacts.ts';
import type { Contact } from '../../contacts/schemas.ts';
import type { Conversation } from '../../conversations/schemas.ts';
import type { CustomField, HeldValues } from '../../custom-fields/schemas.ts';
import { listAllDefinitions, mergeValues } from '../../custom-fields/values.ts';
import { FieldArguments, NoArguments } from './schemas.ts';
import { Refusal, refuse, type Scene, type Tool } from './tool.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// The model reads the names of this many fields of a kind of record.
const MOST_FIELDS = declareLimit(50, {
  topic: 'Agents',
  what: 'Custom fields that the agent knows, per kind of record',
  beyond: 'the others are left out',
});
const MOST_OPTIONS = 200;

/** A record with custom fields; null when the agent is only tried. */
type Holder = Pick<Contact | Conversation, 'custom_fields'> | null;

export const readFieldsTool = (scene: Scene): Tool => ({
  name: 'read_fields',
  description: 'Reads what the company has stored about the contact and the conversation.',
  parameters: NoArguments,
  call: async () => {
    const { contact, conversation } = await readHolders(scene);
    return JSON.stringify({ contact: showValues(contact), conversation: showValues(conversation) });
  },
});

async function readHolders({ acting, conversation }: Scene): Promise<Record<'contact' | 'conversation', Holder>> {
  const [contact = null] = conversation ? await readContacts(acting.read, [conversation.contact]) : [];
  return { contact, conversation };
}

const showValues = (record: Holder) =>
  Object.fromEntries((record?.custom_fields ?? []).map(({ title, value }) => [title, value]));

const holdValues = (record: Holder): HeldValues =>
  Object.fromEntries(
    (record?.custom_fields ?? []).flatMap(({ _id, value }) => (value === null ? [] : [[_id, value] as const])),
  );

/** Returns null when the company has no custom fields. */
export async function writeFieldsTool(scene: Scene): Promise<Tool | null> {
  const { acting, plan } = scene;
  const [contact, conversation] = await Promise.all([
    listAllDefinitions(acting.read, 'contact'),
    listAllDefinitions(acting.read, 'conversation'),
  ]);
  if (contact.length + conversation.length === 0) return null;
  const definitions = { contact, conversation };
  return {
    name: 'write_field',
    description: `Stores a value that the contact has told you. Fields of the contact: ${describe(contact)}. Fields of the conversation: ${describe(conversation)}.`,
    parameters: FieldArguments,
    call: async ({ record, field, value }: FieldArguments) => {
      const definition = definitions[record].find(({ slug }) => slug === field);
      if (!definition) throw new Refusal('There is no such field.');
      const planned = { ...plan.fields[record], [definition._id]: value };
      // All values together have a limit as well.
      const held = holdValues((await readHolders(scene))[record]);
      try {
        mergeValues(definitions[record], held, planned);
      } catch (error) {
        refuse(error);
      }
      plan.fields[record] = planned;
      return 'The value is stored when you have answered.';
    },
  };
}

const describe = (fields: CustomField[]): string =>
  fields.length === 0 ? 'none' : fields.slice(0, MOST_FIELDS).map(describeField).join(', ');

function describeField({ slug, title, type, options }: CustomField): string {
  const choice = options.length > 0 ? `: ${options.join(' | ').slice(0, MOST_OPTIONS)}` : '';
  return `${slug} (${title}, ${type}${choice})`;
}
