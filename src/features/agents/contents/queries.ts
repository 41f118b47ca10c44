import { exec, many } from '../../../platform/db.ts';
import type { TenantRead, TenantTx } from '../../../platform/tenant.ts';

/** Returns what is said in these files, as far as it was written down before. */
export function listTranscripts(
  tx: TenantRead,
  attachments: string[],
): Promise<{ attachment: string; content: string }[]> {
  return many(tx, {
    name: 'agents.listTranscripts',
    text: 'select attachment_id as attachment, content from agent_transcripts where company_id = $1 and attachment_id = any($2::text[])',
    values: [tx.companyId, attachments],
  });
}

/** Keeps what is said in a file, unless the file is gone. */
export function insertTranscript(
  tx: TenantTx,
  { attachment, model, content }: { attachment: string; model: string; content: string },
): Promise<number> {
  return exec(tx, {
    name: 'agents.insertTranscript',
    text: `insert into agent_transcripts (company_id, attachment_id, model, content)
      select $1, _id, $3, $4 from attachments where company_id = $1 and _id = $2 for key share
      on conflict do nothing`,
    values: [tx.companyId, attachment, model, content],
  });
}
