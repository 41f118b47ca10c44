/** Shows what the live stream brings. */
import type { HistoryEntry, LiveEvent, Message } from '@parley/sdk';
import { forgetCampaign, rereadCampaigns, showCampaign } from '../records/campaigns.ts';
import { rereadFiles, showFile } from '../records/contact-files.ts';
import { forgetNote, rereadNotes, showNote } from '../records/contact-notes.ts';
import { forgetContact, rereadContacts, showContact } from '../records/contacts.ts';
import { CONTACT_RUNS } from '../records/contact-runs.ts';
import { CONVERSATION_RUNS } from '../records/conversation-runs.ts';
import {
  forgetConversation,
  refreshSearchesSoon,
  rereadConversations,
  showConversation,
} from '../records/conversations.ts';
import { rereadSurveys, showSurvey } from '../records/csat-surveys.ts';
import { rereadFollowUps, showFollowUp } from '../records/follow-ups.ts';
import { rereadHistory, showHistoryEntry } from '../records/history.ts';
import { rereadContactImports, showContactImport } from '../records/imports.ts';
import { rereadHealthSoon, rereadInboxes, showInbox } from '../records/inboxes.ts';
import { noteMerges } from '../records/merged.ts';
import { forgetMessage, forgetThread, rereadThreads, showMessage } from '../records/messages.ts';
import { rereadNotifications, showNotification } from '../records/notifications.ts';
import { queries } from '../records/queries.ts';
import { rereadScheduled, showScheduled } from '../records/scheduled-messages.ts';
import { forgetRowById, rereadRows, rereadTableImports, showLiveRow, showTableImport } from '../records/tables.ts';
import { SEGMENTS } from '../records/segments.ts';
import { SAVED_VIEWS } from '../records/views.ts';
import { noticeMessage } from '../notices/notices.ts';
import { noticeNotification } from '../notifications/desktop.ts';
import { rereadSession } from '../session/session.ts';
import { endPresence, setPresent, showPresence } from './presence.ts';
import { takeEarlyReads } from './status.ts';

/** `leads`: this tab reads the stream for all tabs of the browser. */
export function applyLiveEvent(change: LiveEvent, leads: boolean): void {
  switch (change.event) {
    case 'inbox':
      return showInbox(change.data);
    case 'conversation':
      return showConversation(change.data);
    case 'history_entry':
      return takeHistoryEntry(change.data);
    case 'message':
      return takeMessage(change.data, leads);
    case 'notification':
      showNotification(change.data);
      return noticeNotification(change.data, leads);
    case 'contact':
      refreshSearchesSoon();
      return showContact(change.data);
    case 'contact_note':
      return showNote(change.data);
    case 'presence':
      return showPresence(change.data);
    case 'removed':
      return forget(change.data.event, change.data._id);
    case 'campaign':
      return showCampaign(change.data);
    case 'follow_up':
      return showFollowUp(change.data);
    case 'scheduled_message':
      return showScheduled(change.data);
    case 'contact_import':
      return showContactImport(change.data);
    case 'table_import':
      return showTableImport(change.data);
    case 'table_row':
      return showLiveRow(change.data);
    case 'csat_survey':
    case 'view':
    case 'segment':
    case 'conversation_run':
    case 'contact_run':
    case 'bulk_run':
      return applyToStore(change);
    case 'reset':
      return takeReset(change.data.events);
    case 'ready':
      // The platform now says who is here.
      setPresent([]);
      return takeEarlyReads() ? rereadAll() : undefined;
    default:
      // A newer platform may send further events.
      return undefined;
  }
}

function takeReset(events: readonly string[]): void {
  // Rows are imported by the thousand, which concerns no other list.
  if (events.every((event) => event === 'table_row')) return rereadRows();
  // The inboxes that the user sees may have changed, too.
  void rereadSession();
  rereadAll();
}

type StoreEvent = Extract<
  LiveEvent,
  { event: 'csat_survey' | 'view' | 'segment' | 'conversation_run' | 'contact_run' | 'bulk_run' }
>;

function applyToStore(change: StoreEvent): void {
  switch (change.event) {
    case 'csat_survey':
      return showSurvey(change.data);
    case 'view':
      return SAVED_VIEWS.show(change.data);
    case 'segment':
      return SEGMENTS.show(change.data);
    case 'conversation_run':
      return CONVERSATION_RUNS.show(change.data);
    case 'contact_run':
      return CONTACT_RUNS.show(change.data);
    default:
      queries.setQueryData([change.event, change.data._id], change.data);
  }
}

function takeHistoryEntry(entry: HistoryEntry): void {
  showHistoryEntry(entry);
  const removed = noteMerges(entry);
  for (const id of removed) endPresence(id);
  // The history of a merged conversation moves without an event for each entry.
  if (removed.length > 0) rereadHistory();
}

function takeMessage(message: Message, leads: boolean): void {
  showMessage(message);
  showFile(message);
  rereadHealthSoon(message.inbox);
  noticeMessage(message, leads);
}

function forget(kind: string, id: string): void {
  // Notifications about a removed record are removed, too.
  if (kind === 'contact' || kind === 'conversation') rereadNotifications();
  if (kind === 'contact') return forgetContact(id);
  if (kind === 'contact_note') return forgetNote(id);
  if (kind === 'message') return forgetMessage(id);
  if (kind === 'campaign') return forgetCampaign(id);
  if (kind === 'table_row') return forgetRowById(id);
  if (kind === 'view') return SAVED_VIEWS.forget(id);
  if (kind === 'segment') return SEGMENTS.forget(id);
  endPresence(id);
  forgetConversation(id);
  forgetThread(id);
  rereadFiles();
}

export function rereadAll(): void {
  rereadConversations();
  CONVERSATION_RUNS.reread();
  CONTACT_RUNS.reread();
  rereadThreads();
  rereadHistory();
  rereadContacts();
  rereadNotes();
  rereadFiles();
  rereadContactImports();
  rereadTableImports();
  rereadRows();
  rereadCampaigns();
  rereadFollowUps();
  rereadSurveys();
  rereadScheduled();
  rereadInboxes();
  rereadNotifications();
  SAVED_VIEWS.reread();
  SEGMENTS.reread();
}
