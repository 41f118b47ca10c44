/** The contacts' part of ingestion, beside finding out who people are. */
export { findContactsOf, touchContacts, type ContactActivity } from './ingest-queries.ts';
