import type { Rejects } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { decimal, sentence } from '../ui/format.ts'

type Reject = Pick<Rejects['items'][number], 'reason' | 'message' | 'hdop' | 'gps_level'>

/** Why a packet was not accepted, in the words of the console's fields. */
const WORDS: Record<string, (reject: Reject) => string> = {
  no_fix: () =>
    t('The receiver did not know where it was: latitude and longitude are 0 or missing.'),
  out_of_range: () => t('A value is larger or smaller than any can be.'),
  bad_time: () => t('The time of the device is before 1970, or too far ahead to be kept.'),
  in_future: () =>
    t(
      'The time of the device is ahead. Its clock is wrong, or it sends local times and needs its time zone under Accuracy.',
    ),
  implausible_past: () =>
    t(
      'The time of the device is older than the settings of the organization accept. Its clock is wrong.',
    ),
  hdop_above_maximum: ({ hdop }) =>
    hdop === null
      ? t('The position was inaccurate: the HDOP is above the highest HDOP of this vehicle.')
      : t(
          'The position was inaccurate: the HDOP of {{hdop}} is above the highest HDOP of this vehicle.',
          {
            hdop: decimal(hdop),
          },
        ),
  accuracy_above_maximum: () =>
    t('The position was inaccurate: it is less exact than the largest inaccuracy of this vehicle.'),
  gps_level_below_minimum: ({ gps_level }) =>
    gps_level === null
      ? t('The signal was weak: the GPS level is below the minimum GPS level of this vehicle.')
      : t(
          'The signal was weak: the GPS level of {{level}} is below the minimum GPS level of this vehicle.',
          {
            level: gps_level,
          },
        ),
  beyond_retention: () => t('It is older than what the organization keeps.'),
  conflict: () =>
    t('Another position has the same time. The server stores the better one of the two.'),
  unreadable_value: ({ message }) =>
    t(
      'The position is stored without values that cannot be read, or that no vehicle has{{message}}.',
      { message: namesIn(message) },
    ),
  limit_of_object_names: ({ message }) =>
    t(
      'The position is stored without attributes, because this vehicle has as many names of them as it can have{{message}}.',
      { message: namesIn(message) },
    ),
  limit_of_names: ({ message }) =>
    t(
      'The position is stored without attributes, because the organization has as many names of them as it can have{{message}}. Make the name a source under Attributes.',
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
