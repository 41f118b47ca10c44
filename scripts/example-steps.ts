/** One step of the run that records examples: a call of an operation. */
import type { Json } from '../test/support/platform.ts';

export interface Step {
  /** The API key to use in place of the demo company's. */
  key?: string | null;
  body?: Json;
  form?: Json;
  fileName?: string;
  headers?: Record<string, string>;
  /** Sends the cookie that an answer has set last, as a browser does. */
  sendsCookie?: boolean;
}

/** Performs a step and returns the body of its answer. */
export type Take = (name: string, path?: string, step?: Step) => Promise<Json>;

/** A form as the examples show it: a file that is no text stands there by its name. */
export const describeForm = (form: Json, fileName = ''): Json =>
  form.file?.base64 === undefined ? form : { ...form, file: fileName };
