/** Finds a template that can be sent. */
import type { ApprovedTemplate } from '../../channels/templates/compose.ts';
import { SENDABLE_STATUS } from '../../channels/templates/network.ts';
import type { Kit } from '../../kit.ts';
import { AppError, invalid } from '../../platform/values/errors.ts';
import type { Acting } from '../../platform/store/tenant.ts';
import { askForCopy, findShelf, openCopiedCatalogue, type Shelf } from './catalogue.ts';
import { findByName } from './queries.ts';

// The shortest pause between two copies that are made because a caller names a template which the copy does not have, or has differently.
const PAUSE_SECONDS = 60;

export interface NamedTemplate {
  inbox: string;
  name: string;
  language: string;
}

/** A template that can be sent, and where it was found. */
export interface Approved {
  template: ApprovedTemplate;
  /** MARKETING, UTILITY or AUTHENTICATION. */
  category: string;
  shelf: Shelf;
  /** The id of the copy of the account's templates. */
  catalogue: string;
}

/** The names of the request's fields, for errors. */
interface Paths {
  inbox: string;
  name: string;
  language: string;
}

/** Throws an error that names the field when the inbox has no such template, or when the network does not send it at present. */
export async function findApproved(
  kit: Kit,
  acting: Acting,
  { inbox, name, language }: NamedTemplate,
  paths: Paths,
): Promise<Approved> {
  const shelf = await findShelf(kit, acting.read, inbox, paths.inbox);
  const catalogue = await openCopiedCatalogue(kit, acting, shelf.account);
  if (catalogue.fetched_at === null) {
    if (catalogue.is_being_copied)
      throw new AppError('UNAVAILABLE', 'The templates of the account are being copied', [], { 'retry-after': '2' });
    await askForCopy(kit, acting, catalogue._id, PAUSE_SECONDS);
    throw notSendable(
      paths.name,
      `cannot be sent, because the account's templates could not be read: ${catalogue.error}`,
    );
  }
  const translations = await findByName(acting.read, catalogue._id, name);
  const row = translations.find((each) => each.language === language);
  if (row?.status === SENDABLE_STATUS) {
    const { category, parameter_format: parameterFormat, components } = row;
    const template = { name, language, parameterFormat, components };
    return { template, category, shelf, catalogue: catalogue._id };
  }
  // The template may be newer than the stored copy.
  await askForCopy(kit, acting, catalogue._id, PAUSE_SECONDS);
  if (translations.length === 0) throw invalid(paths.name, 'is not a template of the inbox', 'UNKNOWN_TEMPLATE');
  const languages = translations.map((each) => each.language).join(', ');
  if (!row)
    throw invalid(paths.language, `is not a language of the template, which has ${languages}`, 'UNKNOWN_TEMPLATE');
  throw notSendable(paths.name, `is ${row.status}; only an approved template can be sent`);
}

const notSendable = (path: string, message: string): AppError =>
  new AppError('TEMPLATE_NOT_SENDABLE', `${path} ${message}`, [{ path, code: 'TEMPLATE_NOT_SENDABLE', message }]);
