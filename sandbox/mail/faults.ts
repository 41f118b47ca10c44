import type { Socket } from 'node:net';
import { waitMs } from '../exchange.ts';
import { takeFault } from '../faults.ts';
import type { Fault } from '../settings.ts';
import type { MailState } from './state.ts';

/** Returns the fault of the next command at a place, and uses up one of its times. */
export const takeMailFault = ({ settings }: MailState, place: string): Fault | undefined =>
  takeFault(settings.faults, place);

/** Whether the command does its work before the fault is met. */
export const isLate = (fault: Fault | undefined): boolean =>
  fault !== undefined && 'kind' in fault && fault.kind.endsWith('_after_accept');

/** Meets a fault. Returns the refusal of the command, true when it gets no answer at all, and false when it goes on. */
export async function meetMailFault(fault: Fault | undefined, socket: Socket | undefined): Promise<Error | boolean> {
  if (!fault) return false;
  if ('code' in fault)
    return Object.assign(new Error(fault.message ?? 'A fault that was set'), { responseCode: fault.code });
  if (fault.kind.startsWith('slow')) {
    await waitMs(fault.ms ?? 1_000);
    return false;
  }
  if (fault.kind.startsWith('reset')) socket?.destroy();
  return true;
}
