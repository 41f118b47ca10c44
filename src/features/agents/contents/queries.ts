import { exec, maybeOne } from '../../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';

/** What stands in a document, or what is said in a voice note. */
export interface FileText {
  content: string;
  is_cut: boolean;
}

/** Whose text of a file: `model` is the transcription model that has listened, null for a document. */
interface FileTextKey {
  attachment: string;
  model: string | null;
}

/** Returns the text of a file, if it was found out before by the same model. */
export function findFileText(tx: TenantRead, { attachment, model }: FileTextKey): Promise<FileText | null> {
  return maybeOne(tx, {
    name: 'agents.findFileText',
    text: `select content, is_cut from agent_file_texts
      where company_id = $1 and attachment_id = $2 and model is not distinct from $3`,
    values: [tx.companyId, attachment, model],
  });
}

/** Keeps the text of a file next to what other models have heard, unless the file is gone. */
export function insertFileText(
  tx: TenantTx,
  { attachment, model, content, is_cut }: FileText & FileTextKey,
): Promise<number> {
  return exec(tx, {
    name: 'agents.insertFileText',
    text: `insert into agent_file_texts (company_id, attachment_id, model, content, is_cut)
      select $1, _id, $3, $4, $5 from attachments where company_id = $1 and _id = $2 for key share
      on conflict (company_id, attachment_id, model) do nothing`,
    values: [tx.companyId, attachment, model, content, is_cut],
  });
}
