/** What a route of the door is, and what all of them get. */
import type { Kit } from '../../kit.ts';
import type { Upload } from '../../platform/http/multipart.ts';
import type { CallOperation } from '../inner-calls.ts';
import type { JsonObject } from '../json.ts';

/** The caller of a route. */
export interface EvolutionCaller {
  kit: Kit;
  companyId: string;
  /** The API key as the client sent it. It must never be logged or answered. */
  key: string;
  /** Calls an operation, and throws an EvolutionError for every answer but a success. */
  call(...given: Parameters<CallOperation>): Promise<JsonObject>;
  /** Calls an operation, and returns whatever it answers. */
  ask: CallOperation;
}

/** What a client asks. The body is as it was sent: read it with lenient.ts. */
export interface Asked {
  query: JsonObject;
  body: JsonObject;
  /** The file of a form. */
  file: Upload | null;
  idempotencyKey: string | null;
  /** Aborted when the client hangs up. */
  signal: AbortSignal;
  /** Waits for a place among the downloads of the company, which the answer occupies until it is closed. */
  admitFile(): Promise<void>;
}

interface Shared {
  /** The status of a success; 201 for POST and 200 for others unless given. */
  status?: number;
  /** True for bodies that can have a file in them. */
  hasFile?: true;
}

export interface PlainRoute extends Shared {
  isPlain: true;
  run(caller: EvolutionCaller, asked: Asked): Promise<unknown>;
}

/** A route whose path ends with the name of an instance, which is an inbox. */
export interface InstanceRoute extends Shared {
  isPlain?: never;
  run(caller: EvolutionCaller, asked: Asked, inbox: JsonObject): Promise<unknown>;
}

/** The routes by method and path without the instance, such as `POST message/sendText`. */
export type EvolutionRoutes = Readonly<Record<string, PlainRoute | InstanceRoute>>;
