/** Shows changes of custom fields and pipelines in their lists, and wherever else they are shown. */
import type { CustomField, Pipeline } from '@parley/sdk';
import { rereadCompany } from '../../records/company.ts';
import { changeFeeds, placeInFeed, removeFromFeed } from '../../records/feeds.ts';
import { queries } from '../../records/queries.ts';

export const CUSTOM_FIELDS_KEY = ['custom-fields'] as const;
export const PIPELINES_KEY = ['pipelines'] as const;

export function showCustomField(field: CustomField): void {
  changeFeeds<CustomField>(CUSTOM_FIELDS_KEY, (feed) => placeInFeed(feed, field, ({ createdAt }) => createdAt));
  rereadCompany('custom-fields');
}

export function forgetCustomField(id: string): void {
  changeFeeds<CustomField>(CUSTOM_FIELDS_KEY, (feed) => removeFromFeed(feed, id));
  rereadCompany('custom-fields');
}

export function showPipeline(pipeline: Pipeline): void {
  changeFeeds<Pipeline>(PIPELINES_KEY, (feed) => placeInFeed(feed, pipeline, ({ createdAt }) => createdAt));
  // A new default takes the place of another one, which has changed with it.
  if (pipeline.is_default) void queries.invalidateQueries({ queryKey: PIPELINES_KEY });
  rereadCompany('pipelines');
}

export function forgetPipeline(id: string): void {
  changeFeeds<Pipeline>(PIPELINES_KEY, (feed) => removeFromFeed(feed, id));
  rereadCompany('pipelines');
}
