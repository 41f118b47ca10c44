/** Names the files that a template shows as the Cloud API knows them, in the place of the company's attachments. */
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { OutboundMessage } from '../channel.ts';
import type { OutboundFile } from '../media.ts';
import { asList, asRecord, asText, type Json } from '../values.ts';

/** By the id of an uploaded file, or else by the link at which the Cloud API fetches it. */
export const nameFile = ({ networkId, url }: OutboundFile): Json =>
  networkId === null ? { link: url } : { id: networkId };

/** Returns the components with the file of their header and those of the cards of a carousel. */
export const nameFilesOf = (
  components: readonly Json[],
  { file, cards }: Pick<OutboundMessage, 'file' | 'cards'>,
): Json[] =>
  components.map((component) => {
    if (component.type === 'carousel' && cards) return nameCardFiles(component, cards);
    return file ? nameHeaderFile(component, file) : component;
  });

/** The stored header names an attachment of the company, which the network knows by another id. */
function nameHeaderFile(component: Json, file: OutboundFile): Json {
  const [parameter] = asList(component.parameters).map(asRecord);
  if (component.type !== 'header' || !parameter) return component;
  const kind = String(parameter.type);
  const { filename } = asRecord(getOwnProperty(parameter, kind)) ?? {};
  const media = { ...nameFile(file), ...(kind === 'document' && { filename: filename ?? file.fileName }) };
  return { ...component, parameters: [{ ...parameter, [kind]: media }] };
}

/** Each card names its own attachment, if any. */
function nameCardFiles(carousel: Json, files: NonNullable<OutboundMessage['cards']>): Json {
  const cards = asList(carousel.cards).map((card) => {
    const components = asList(asRecord(card)?.components).map((component) => {
      const header = asRecord(component);
      const file = header && files.get(readMediaId(header));
      return file ? nameHeaderFile(header, file) : component;
    });
    return { ...asRecord(card), components };
  });
  return { ...carousel, cards };
}

/** Returns the id of the file that a component shows, or '' when it shows none. */
function readMediaId(component: Json): string {
  const parameter = asRecord(asList(component.parameters)[0]) ?? {};
  return asText(asRecord(getOwnProperty(parameter, String(parameter.type)))?.id) ?? '';
}
