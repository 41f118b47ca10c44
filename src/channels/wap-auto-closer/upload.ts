/** Uploads files to the network, which then sends them by their id. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeForm } from '../../platform/outside/outbound-form.ts';
import { asPlainText } from '../../platform/work/media/formats.ts';
import type { UploadResult } from '../channel.ts';
import type { OutboundFile } from '../media.ts';
import { retryRule } from './errors.ts';
import type { Graph, GraphAnswer } from './graph.ts';
import type { WapConfig } from './settings.ts';
import { asIdentifier } from '../values.ts';

/** The network keeps a file for 30 days. The day less is for clocks that differ and for messages on their way. */
const KEPT_MS = 29 * 24 * 3_600_000;
/** The pause before the second try, after a refusal that soon passes. */
const RETRY_DELAY_MS = 1000;

interface Target {
  config: WapConfig;
  signal: AbortSignal;
}

/** Uploads a file. An upload reaches no one, so it is repeated once where a refusal may pass. Throws when the file cannot be opened. */
export async function uploadFile(graph: Graph, file: OutboundFile, target: Target): Promise<UploadResult> {
  const first = await postFile(graph, file, target);
  if (first.outcome !== 'refused' || retryRule(first.error.code) !== 'now') return readUpload(first);
  await sleep(RETRY_DELAY_MS);
  return target.signal.aborted ? readUpload(first) : readUpload(await postFile(graph, file, target));
}

async function postFile(graph: Graph, file: OutboundFile, { config, signal }: Target): Promise<GraphAnswer> {
  const { fileName, bytes } = file;
  // Of texts the network takes plain ones only. Its app goes by the name.
  const mimeType = asPlainText(file.mimeType);
  const content = await file.open();
  const texts = { messaging_product: 'whatsapp', type: mimeType };
  return graph({
    method: 'POST',
    path: [config.phone_number_id, 'media'],
    form: makeForm(texts, { field: 'file', fileName, mimeType, bytes, content }),
    token: config.business_token,
    signal,
  });
}

function readUpload(answer: GraphAnswer): UploadResult {
  if (answer.outcome === 'refused') return { outcome: 'failed', error: answer.error, network: answer.network };
  if (answer.outcome === 'unknown') return makeFailure(answer.reason);
  const networkId = asIdentifier(answer.body.id);
  if (networkId === null) return makeFailure('The network gave the file no id.');
  return { outcome: 'uploaded', networkId, expiresAt: new Date(Date.now() + KEPT_MS) };
}

const makeFailure = (message: string): UploadResult => ({
  outcome: 'failed',
  error: { code: 'PROVIDER_UNREACHABLE', title: 'Not uploaded', message, details: '' },
  network: false,
});
