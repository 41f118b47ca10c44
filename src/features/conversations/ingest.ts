/** The conversations' part of ingestion. */
export {
  findConversationsOf,
  findLatestThreads,
  insertThreads,
  lockOpenThreads,
  touchThreads,
  type NewConversation,
  type Thread,
  type ThreadActivity,
} from './ingest-queries.ts';
