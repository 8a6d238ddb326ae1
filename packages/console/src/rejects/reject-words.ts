import type { Rejects } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { decimal, sentence } from '../ui/format.ts'

type Reject = Pick<Rejects['items'][number], 'reason' | 'message' | 'hdop' | 'gps_level'>

/** Why a packet was not accepted, in the words of the console's fields. */
const WORDS: Record<string, (reject: Reject) => string> = {
  no_fix: () => t('No GPS fix: latitude and longitude are 0 or missing.'),
  out_of_range: () => t('A value is outside its possible range.'),
  bad_time: () => t('The device time is before 1970 or too far in the future to be stored.'),
  in_future: () =>
    t(
      'The device time is in the future. The device’s clock is wrong, or it sends local times and needs a time zone under Accuracy.',
    ),
  implausible_past: () =>
    t(
      'The device time is older than the organization’s settings allow. The device’s clock is wrong.',
    ),
  hdop_above_maximum: ({ hdop }) =>
    hdop === null
      ? t('Inaccurate position: the HDOP is above the maximum for this vehicle.')
      : t('Inaccurate position: the HDOP of {{hdop}} is above the maximum for this vehicle.', {
          hdop: decimal(hdop),
        }),
  accuracy_above_maximum: () =>
    t('Inaccurate position: the reported position error is above the maximum for this vehicle.'),
  gps_level_below_minimum: ({ gps_level }) =>
    gps_level === null
      ? t('Weak signal: the GPS level is below the minimum for this vehicle.')
      : t('Weak signal: the GPS level of {{level}} is below the minimum for this vehicle.', {
          level: gps_level,
        }),
  beyond_retention: () =>
    t('The position is older than the retention period of the organization or the vehicle.'),
  conflict: () =>
    t('Another position has the same time. The server stores the better one of the two.'),
  unreadable_value: ({ message }) =>
    t('The position was stored without unreadable or implausible values{{message}}.', {
      message: namesIn(message),
    }),
  limit_of_object_names: ({ message }) =>
    t(
      'The position was stored without attributes because this vehicle has reached its maximum number of attribute names{{message}}.',
      { message: namesIn(message) },
    ),
  limit_of_names: ({ message }) =>
    t(
      'The position was stored without attributes because the organization has reached its maximum number of attribute names{{message}}. Add the name as a source under Attributes.',
      { message: namesIn(message) },
    ),
}

export function rejectInWords(reject: Reject): string {
  return WORDS[reject.reason]?.(reject) ?? sentence(said(reject.message))
}

/** The names of values at the end of a message. */
function namesIn(message: string): string {
  const at = message.lastIndexOf(': ')
  return at === -1 ? '' : message.slice(at)
}
