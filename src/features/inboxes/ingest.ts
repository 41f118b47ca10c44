/** The inboxes' part of ingestion: who receives for an address, and what the network says about an account. */
export { findReceivers, setCoexistence, type Receiver } from './ingest-queries.ts';
