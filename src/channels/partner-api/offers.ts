/** Reads the words of what a business offers to choose from: buttons, lists, templates, products and polls. */
import { asList, asRecord, asText, parseResponse, type Json } from '../values.ts';

/** The most options of an offer that are read, and the most lines of its words. */
const MAX_OPTIONS = 50;
const MAX_LINES = 100;

/** Joins the words that are there, each on a line of its own; null when there are none. */
export function joinWords(words: unknown[]): string | null {
  const lines = words.slice(0, MAX_LINES).map((each) => asText(each)?.trim());
  return lines.filter(Boolean).join('\n') || null;
}

/** Returns a line for each option. */
function listOptions(options: unknown, findTitle: (option: Json) => unknown): (string | null)[] {
  return asList(options)
    .slice(0, MAX_OPTIONS)
    .map((option) => asText(findTitle(asRecord(option) ?? {})))
    .map((title) => title && `• ${title}`);
}

const findText = (value: unknown): unknown => asRecord(value)?.text;

/** The name of a button is in the text of its parameters. */
const findButtonName = ({ buttonParamsJson }: Json): unknown => asRecord(parseResponse(buttonParamsJson))?.display_text;

/** Without the cards of a carousel, which have the same form and no cards. */
const listCardWords = ({ header, body, footer, nativeFlowMessage }: Json): unknown[] => [
  asRecord(header)?.title,
  asRecord(header)?.subtitle,
  findText(body),
  findText(footer),
  ...listOptions(asRecord(nativeFlowMessage)?.buttons, findButtonName),
];

const listInteractiveWords = (part: Json): unknown[] => [
  ...listCardWords(part),
  ...asList(asRecord(part.carouselMessage)?.cards)
    .slice(0, MAX_OPTIONS)
    .flatMap((card) => listCardWords(asRecord(card) ?? {})),
];

function listTemplateWords(part: Json): unknown[] {
  const filled = asRecord(part.hydratedTemplate ?? part.hydratedFourRowTemplate) ?? {};
  const buttons = listOptions(
    filled.hydratedButtons,
    ({ quickReplyButton, urlButton, callButton }) => asRecord(quickReplyButton ?? urlButton ?? callButton)?.displayText,
  );
  return [
    filled.hydratedTitleText,
    filled.hydratedContentText,
    filled.hydratedFooterText,
    ...buttons,
    ...listInteractiveWords(asRecord(part.interactiveMessageTemplate) ?? {}),
  ];
}

const listButtonWords = (part: Json): unknown[] => [
  part.text,
  part.contentText,
  part.footerText,
  ...listOptions(part.buttons, ({ buttonText }) => asRecord(buttonText)?.displayText),
];

const listRowWords = (part: Json): unknown[] => [
  part.title,
  part.description,
  part.footerText,
  ...asList(part.sections)
    .slice(0, MAX_OPTIONS)
    .flatMap((section) => listOptions(asRecord(section)?.rows, ({ title }) => title)),
];

function listProductWords(part: Json): unknown[] {
  const product = asRecord(part.product);
  return [product?.title, product?.description, product?.url, part.body, part.footer];
}

const listPollWords = (part: Json): unknown[] => [
  part.name,
  ...listOptions(part.options, ({ optionName }) => optionName),
];

/** Returns the words of an offer by the name of its part. */
export const OFFERS = new Map<string, (part: Json) => unknown[]>([
  ['interactiveMessage', listInteractiveWords],
  ['templateMessage', listTemplateWords],
  ['buttonsMessage', listButtonWords],
  ['listMessage', listRowWords],
  ['productMessage', listProductWords],
  ['pollCreationMessage', listPollWords],
  ['pollCreationMessageV2', listPollWords],
  ['pollCreationMessageV3', listPollWords],
  ['pollCreationMessageV5', listPollWords],
]);
