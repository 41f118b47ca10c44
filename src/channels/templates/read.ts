/** Reads templates as the Cloud API lists them, also where a gateway passes its list on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { asIdentifier, asLabel, asList, asRecord, asText, toStorable, type Json } from '../values.ts';
import type { NetworkTemplate } from './network.ts';
import { listVariables } from './shape.ts';

export const readObjects = (value: unknown): Json[] =>
  asList(value)
    .map(asRecord)
    .filter((item) => item !== null);

// The templates that are read without a pause. Other work of the event loop gets its turn between two portions.
const PORTION = 100;

export async function readTemplates(list: unknown): Promise<NetworkTemplate[]> {
  const read: NetworkTemplate[] = [];
  for (const [at, item] of readObjects(list).entries()) {
    if (at > 0 && at % PORTION === 0) await nextTurn();
    const template = readTemplate(item);
    if (template) read.push(template);
  }
  return read;
}

/** Reads a template; null when it has no name or language, so that no one could send it. */
function readTemplate(item: Json): NetworkTemplate | null {
  const [name, language] = [asIdentifier(item.name), asIdentifier(item.language)];
  if (name === null || language === null) return null;
  const components = readObjects(toStorable(item.components));
  return {
    networkId: asIdentifier(item.id),
    name,
    language,
    category: asLabel(item.category)?.toUpperCase() ?? 'UNKNOWN',
    status: asLabel(item.status)?.toUpperCase() ?? 'UNKNOWN',
    quality: readQuality(item.quality_score),
    parameterFormat: readFormat(item.parameter_format, components),
    components,
    rejectedReason: readReason(item.rejected_reason),
  };
}

export const readQuality = (value: unknown): string | null =>
  asLabel(asRecord(value)?.score ?? value)?.toUpperCase() ?? null;

/** The network writes NONE for a template that was not rejected. */
export function readReason(value: unknown): string | null {
  const reason = asLabel(value);
  return reason === null || reason.toUpperCase() === 'NONE' ? null : reason;
}

/** Templates from before named variables existed do not say their format. */
function readFormat(value: unknown, components: Json[]): NetworkTemplate['parameterFormat'] {
  const format = asLabel(value)?.toUpperCase();
  if (format === 'NAMED' || format === 'POSITIONAL') return format;
  const names = components.flatMap(({ text }) => listVariables(asText(text) ?? ''));
  return names.some((name) => !/^\d+$/.test(name)) ? 'NAMED' : 'POSITIONAL';
}
