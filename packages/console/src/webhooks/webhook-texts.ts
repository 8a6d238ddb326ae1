import type { ChangeType } from '../../../server/src/base/domain/item-rules.ts'
import type { WebhookDelivery } from '../api/types.ts'
import { t } from '../language/text.ts'
import { PLACE_NAMES } from '../ui/place-kinds.ts'

/** The types of changes, as the table and the form name them. */
export const TYPE_NAMES: Record<ChangeType, string> = {
  positions: t('Positions'),
  states: t('Current states'),
  objects: t('Objects'),
  ...PLACE_NAMES,
  trips: t('Trips'),
  stops: t('Stops'),
  visits: t('Visits'),
  levels: t('Level changes'),
}

export const KIND_NAMES: Record<WebhookDelivery['kind'], string> = {
  changes: t('Changes'),
  resync: t('Resync'),
  test: t('Test'),
}

/** The part of a URL that holds no secret. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
