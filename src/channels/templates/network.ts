/** Templates as the platform and its channels exchange them. */

/** A part of a template (HEADER, BODY, FOOTER, BUTTONS and others), as its network publishes it. */
export type TemplateComponent = Record<string, unknown>;

/** Whether the variables of a template are numbered ({{1}}) or have names ({{first_name}}). */
export const PARAMETER_FORMATS = ['POSITIONAL', 'NAMED'] as const;
export type ParameterFormat = (typeof PARAMETER_FORMATS)[number];

export const TEMPLATE_CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;
export type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];

/** The only status with which a template can be sent. */
export const SENDABLE_STATUS = 'APPROVED';

/** A template of one language, as the network describes it. A name and a language identify it within an account. */
export interface NetworkTemplate {
  networkId: string | null;
  name: string;
  language: string;
  category: string;
  /** The status as the network names it, such as APPROVED, PENDING or PAUSED; the network may use further names. */
  status: string;
  quality: string | null;
  parameterFormat: ParameterFormat;
  components: TemplateComponent[];
  rejectedReason: string | null;
}

export interface TemplatePage {
  templates: NetworkTemplate[];
  /** The network's cursor of the next page; null after the last page. */
  next: string | null;
}

/** The list of an account could not be read. The message may be shown to callers. */
export class UnreadList extends Error {}

/** A new template, in one language. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: TemplateCategory;
  parameterFormat: ParameterFormat;
  components: TemplateComponent[];
}

/**
 * How a channel handles the templates of an account. The calls throw NetworkRefusal when the network refused them, and another error when no
 * answer came, so that their outcome is unknown.
 */
export interface ChannelTemplates<Config = Record<string, unknown>> {
  /** Reads a page of the account's templates: the first one, or the one that begins at `after`. */
  list(config: Config, after: string | null, signal: AbortSignal): Promise<TemplatePage>;
  /** Submits a template to the network's review; absent where that is done elsewhere. */
  submit?(
    config: Config,
    draft: TemplateDraft,
    signal: AbortSignal,
  ): Promise<Pick<NetworkTemplate, 'networkId' | 'status' | 'category'>>;
  /**
   * Gives a template in one language new contents, which the network reviews; absent where that is done elsewhere. The category is only
   * there if it changes.
   */
  edit?(
    config: Config,
    networkId: string,
    contents: Pick<TemplateDraft, 'components'> & { category?: TemplateCategory },
    signal: AbortSignal,
  ): Promise<void>;
  /** Removes a template in all its languages. A template that the network does not have counts as removed. */
  remove?(config: Config, name: string, signal: AbortSignal): Promise<void>;
  /** How many messages a second the network takes from a number; `isShared`: the business also uses the number with the network's own app. */
  readThroughput(isShared: boolean): number;
  /** Why an inbox of the channel has no templates, as the end of a sentence that begins with the name of a field; absent where every inbox has some. */
  lacking?: string;
  /** True for error codes of a refused send which show that the platform's copy of the template is out of date. */
  concernsTemplate(code: number | string): boolean;
  /** Templates of which the network delivers none to people of a country (ISO 3166 alpha-2), although it accepts them. */
  undelivered?: readonly Undelivered[];
  /** Error codes of a refused send after which the network wants no template of a campaign or a bulk run to the same person for a day. */
  restingCodes?: readonly (number | string)[];
}

export interface Undelivered {
  category: TemplateCategory;
  country: string;
}

/** A change of one template, which the network reports by itself. */
export interface InboundTemplate {
  kind: 'template';
  /** The account that has the template, as ChannelSettings.account names it. */
  account: string;
  timestamp: Date;
  name: string;
  language: string;
  /**
   * The changed values of the template; absent ones did not change. Null when the notification does not contain the change, so that the
   * template has to be read again.
   */
  change: Partial<Pick<NetworkTemplate, 'status' | 'quality' | 'category' | 'rejectedReason'>> | null;
}
