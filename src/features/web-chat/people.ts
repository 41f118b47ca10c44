/** The contacts of visitors: found by the browser of an anonymous visitor, or by what the site has proven of a known one. */
import { EMAIL_ADDRESS, EXTERNAL_ID, VISITOR, type Person } from '../../channels/identity.ts';
import type { Kit } from '../../kit.ts';
import { AppError, insideOf } from '../../platform/values/errors.ts';
import { emit } from '../../platform/store/events.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { updateContactById } from '../contacts/contacts.ts';
import { findContactsByKeys, findIdentities } from '../contacts/ingest-queries.ts';
import { findOrCreatePeople } from '../contacts/ingest-people.ts';
import { releaseIdentity } from '../contacts/identities.ts';
import { mergeInto } from '../merges/merges.ts';
import type { Identity } from './schemas.ts';
import type { Site } from './sites.ts';
import { toKnownVisitor, type Visitor } from './tokens.ts';

/** The one name by which a visitor writes. An anonymous visitor never has a name that another contact could have. */
const nameVisitor = ({ _id, externalId }: Visitor) =>
  externalId === null ? VISITOR.identify(_id) : EXTERNAL_ID.identify(externalId);

export const toPerson = (visitor: Visitor, displayName?: string): Person => ({
  names: [nameVisitor(visitor)],
  ...(displayName === undefined ? {} : { displayName }),
});

/** Returns the ids of the visitors' contacts, null for a visitor who has none. */
export async function findVisitorContacts(kit: Kit, company: string, visitors: Visitor[]): Promise<(string | null)[]> {
  const names = visitors.map(nameVisitor);
  const found = await findIdentities(
    kit.database.system(`company:${company}`),
    names.map((name) => ({ company, ...name })),
  );
  const contacts = new Map(found.map(({ kind, value, contact }) => [`${kind} ${value}`, contact]));
  return names.map(({ kind, value }) => contacts.get(`${kind} ${value}`) ?? null);
}

export async function findVisitorContact(kit: Kit, { company }: Site, visitor: Visitor): Promise<string | null> {
  const [contact = null] = await findVisitorContacts(kit, company, [visitor]);
  return contact;
}

/**
 * Finds or creates the contact of a person whom the site has proven, and moves the conversation of the anonymous visitor there who they have
 * been until now. The id of that visitor's browser is then no one's, so that an old token of it opens nothing.
 */
export async function enterKnown(kit: Kit, site: Site, identity: Identity, before: Visitor | null): Promise<Visitor> {
  const { company } = site;
  const contact = await enterContact(kit, company, toProvenPerson(identity));
  const anonymous = before?.externalId === null ? await findVisitorContact(kit, site, before) : null;
  if (before && anonymous !== null && anonymous !== contact)
    await kit.database.tenantTx(company, async (tx) => {
      await releaseIdentity(tx, anonymous, VISITOR.identify(before._id));
      await mergeInto(tx, contact, anonymous);
    });
  if (identity.custom_fields) await storeFields(kit, company, contact, identity.custom_fields);
  return toKnownVisitor(site, identity.sub);
}

const toProvenPerson = ({ sub, email, name }: Identity): Person => ({
  names: [EXTERNAL_ID.identify(sub), ...(email === undefined ? [] : [EMAIL_ADDRESS.identify(email)])],
  ...(name === undefined ? {} : { displayName: name }),
});

/** Finds or creates the contact of a person who has not written yet. */
function enterContact(kit: Kit, company: string, person: Person): Promise<string> {
  return kit.database.systemTx(`company:${company}`, async (tx) => {
    const { contacts, created, changed } = await findOrCreatePeople(tx, [{ company, person, source: 'WIDGET' }]);
    const [contact = ''] = contacts;
    if (created.size + changed.size > 0) {
      const event = created.has(contact) ? 'CONTACT_CREATED' : 'CONTACT_UPDATED';
      const records = await findContactsByKeys(tx, [{ company, _id: contact }]);
      await emit(
        tx,
        records.map((data) => ({ event, data })),
      );
    }
    return contact;
  });
}

async function storeFields(
  kit: Kit,
  company: string,
  contact: string,
  custom_fields: NonNullable<Identity['custom_fields']>,
): Promise<void> {
  const acting = actAs(kit.database, company, { type: 'system', id: null, name: 'Web chat' });
  try {
    await updateContactById(acting, contact, { custom_fields });
  } catch (error) {
    // The fields stand in the proof, so its path is what the caller can look at.
    throw error instanceof AppError && error.status === 400 ? insideOf('identity', error) : error;
  }
}
