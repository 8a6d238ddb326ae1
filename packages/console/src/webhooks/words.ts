import {
  byTopic,
  type ChangeType,
  ITEM_TOPICS,
  schemaNameOf,
} from '../../../server/src/base/domain/items.ts'
import type { WebhookDelivery } from '../api/types.ts'

/** The types of changes, as the table and the form name them. */
export const TYPE_NAMES: Record<ChangeType, string> = {
  positions: 'Positions',
  states: 'Current states',
  ...byTopic(ITEM_TOPICS, schemaNameOf),
  trips: 'Trips',
  stops: 'Stops',
  visits: 'Visits',
  levels: 'Changes of levels',
}

export const KIND_NAMES: Record<WebhookDelivery['kind'], string> = {
  changes: 'Changes',
  resync: 'Resync',
  test: 'Test',
}

/** The part of a URL that holds no secret. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
