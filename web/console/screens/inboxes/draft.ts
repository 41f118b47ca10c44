/** The settings of an inbox as its form holds them. */
import type { Inbox, InboxUpdate } from '@parley/sdk';

export type Draft = Pick<
  Inbox,
  | 'name'
  | 'door_name'
  | 'default_owner'
  | 'default_team'
  | 'business_hours'
  | 'csat_question'
  | 'members'
  | 'general_config'
  | 'disable_inbound_ai'
  | 'process_unsupported_messages'
  | 'pdf_local_text_extraction'
  | 'test_mode'
> & { away_text: string; reopen_days: number | null; default_agent: string | null; webhook_url: string };

export interface DraftProps {
  draft: Draft;
  change(next: Partial<Draft>): void;
  error: unknown;
}

export function toDraft(inbox: Inbox): Draft {
  const {
    name,
    door_name,
    default_owner,
    default_team,
    business_hours,
    away_text,
    csat_question,
    members,
    default_agent = null,
    general_config,
    disable_inbound_ai,
    test_mode,
    webhook_url = '',
  } = inbox;
  const { process_unsupported_messages, pdf_local_text_extraction, reopen_days } = inbox;
  return {
    name,
    door_name,
    default_owner,
    default_team,
    business_hours,
    away_text: away_text ?? '',
    csat_question,
    members,
    default_agent,
    general_config,
    disable_inbound_ai,
    process_unsupported_messages,
    pdf_local_text_extraction,
    // The field is empty where nothing is reopened.
    reopen_days: reopen_days || null,
    test_mode,
    webhook_url,
  };
}

/** Leaves the members out when this form has not changed them, because another user may have. */
export function toUpdate(edited: Draft, loaded: Draft): InboxUpdate {
  const { webhook_url, test_mode, members, ...draft } = edited;
  const { enabled, test_numbers } = test_mode;
  const filled = test_numbers.map((line) => line.trim()).filter((line) => line !== '');
  return {
    ...draft,
    ...(JSON.stringify(members) !== JSON.stringify(loaded.members) && { members }),
    reopen_days: draft.reopen_days ?? 0,
    away_text: draft.away_text.trim() || null,
    csat_question: draft.csat_question?.trim() || null,
    webhook_url: webhook_url.trim() || null,
    test_mode: { enabled, test_numbers: filled },
  };
}
