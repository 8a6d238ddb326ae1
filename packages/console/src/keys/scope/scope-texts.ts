import type { KeyOperation } from '../../../../server/src/base/domain/key-scope.ts'
import { RATE_WINDOW } from '../../../../server/src/base/domain/limits.ts'
import { t } from '../../language/text.ts'
import { PLACE_NAMES } from '../../ui/place-kinds.ts'
import type { Scope } from './scope-draft.ts'

/** The operations of a scope, as the table and the form name them. */
export const OPERATION_NAMES: Record<KeyOperation, string> = {
  objects: t('Object list'),
  detail: t('Current object state'),
  positions: t('Positions'),
  changes: t('Changes'),
  records: t('Trips, stops, visits, levels and days'),
  ...PLACE_NAMES,
  coverage: t('Coverage'),
}

/** The limits of a key besides its grants, each in words. */
export function scopeInWords({ operations, window_share }: Scope): string[] {
  return [
    ...(operations === null ? [] : [operations.map((each) => OPERATION_NAMES[each]).join(' · ')]),
    ...(window_share === null
      ? []
      : [
          t('{{count, number}} requests per {{seconds}} seconds', {
            count: window_share,
            seconds: RATE_WINDOW.seconds,
          }),
        ]),
  ]
}
