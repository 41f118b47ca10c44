import type { ServerResponse } from 'node:http';
import { getOwnProperty, waitMs, writeAnswer } from './exchange.ts';
import { makeErrorAnswer } from './graph-errors.ts';
import type { Fault } from './settings.ts';

/** Returns the fault of the next call at a place, and uses up one of its times. */
export function takeFault(faults: Readonly<Record<string, Fault[]>>, place: string): Fault | undefined {
  const list = getOwnProperty(faults, place);
  const [fault] = list ?? [];
  if (!list || !fault) return undefined;
  const left = (fault.times ?? 1) - 1;
  if (left <= 0) list.shift();
  else fault.times = left;
  return fault;
}

/** Applies the fault. Returns true when the call has been answered or its connection was closed; a slow call continues after its wait. */
export async function applyFault(fault: Fault, res: ServerResponse): Promise<boolean> {
  if ('code' in fault) {
    const { code, http_status, message } = fault;
    const failure = { code, ...(http_status === undefined ? {} : { httpStatus: http_status }) };
    writeAnswer(
      res,
      makeErrorAnswer({
        ...failure,
        ...(message === undefined ? {} : { message }),
        details: message ?? 'A fault that was set.',
      }),
    );
    return true;
  }
  switch (fault.kind) {
    case 'slow':
    case 'slow_after_accept':
      await waitMs(fault.ms ?? 1_000);
      return false;
    case 'reset':
    case 'reset_after_accept':
      res.socket?.resetAndDestroy();
      return true;
    case 'http_500':
      writeAnswer(res, {
        status: 500,
        body: Buffer.from('Service unavailable'),
        headers: { 'content-type': 'text/html' },
      });
      return true;
    case 'not_json':
      writeAnswer(res, { status: 200, body: Buffer.from('<html>'), headers: { 'content-type': 'text/html' } });
      return true;
    case 'hang':
    case 'hang_after_accept':
      return true;
  }
}
