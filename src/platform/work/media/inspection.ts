/** Answers the inspections that inspector.ts requests of child processes. */
import type { Supply } from '../child.ts';
import { suppliedSource } from '../child-work.ts';
import type { Converted } from './conversions.ts';
import { inspectSource, type Inspected } from './inspect.ts';
import { makeThumbnail } from './thumbnail.ts';

/** The request for an inspection: how many bytes the file has, and whether its thumbnail is made as well. */
export interface InspectionRequest {
  inspect: number;
  thumbnail: boolean;
}

export interface Inspection extends Inspected {
  /** Absent for a file of which none was made. */
  thumbnail?: Converted;
}

export const isInspection = (request: object): request is InspectionRequest => 'inspect' in request;

export async function answerInspection(request: InspectionRequest, supply: Supply): Promise<Inspection> {
  const source = suppliedSource(request.inspect, supply);
  const inspected = await inspectSource(source);
  const thumbnail = request.thumbnail && (await makeThumbnail(source, inspected));
  return { ...inspected, ...(thumbnail && { thumbnail }) };
}
