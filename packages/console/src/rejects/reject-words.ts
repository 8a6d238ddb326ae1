import type { Rejects } from '../api/types.ts'
import { decimal, sentence } from '../ui/format.ts'

type Reject = Pick<Rejects['items'][number], 'reason' | 'message' | 'hdop' | 'gps_level'>

/** Why a packet was not accepted, in the words of the console's fields. */
const WORDS: Record<string, (reject: Reject) => string> = {
  no_fix: () => 'The receiver did not know where it was: latitude and longitude are 0 or missing.',
  out_of_range: () => 'A value is larger or smaller than any can be.',
  bad_time: () => 'The time of the device is before 1970, or too far ahead to be kept.',
  in_future: () =>
    'The time of the device is ahead. Its clock is wrong, or it sends local times and needs its time zone under Accuracy.',
  implausible_past: () =>
    'The time of the device is older than the settings of the organization accept. Its clock is wrong.',
  hdop_above_maximum: ({ hdop }) =>
    `The position was inaccurate: the HDOP${hdop === null ? '' : ` of ${decimal(hdop)}`} is above the highest HDOP of this object.`,
  accuracy_above_maximum: () =>
    'The position was inaccurate: it is less exact than the largest inaccuracy of this object.',
  gps_level_below_minimum: ({ gps_level }) =>
    `The signal was weak: the GPS level${gps_level === null ? '' : ` of ${gps_level}`} is below the minimum GPS level of this object.`,
  beyond_retention: () => 'It is older than what the organization keeps.',
  conflict: () =>
    'Another position has the same time. The server stores the better one of the two.',
  unreadable_value: ({ message }) =>
    `The position is stored without values that cannot be read, or that no vehicle has${namesIn(message)}.`,
  limit_of_object_names: ({ message }) =>
    `The position is stored without attributes, because this object has as many names of them as it can have${namesIn(message)}.`,
  limit_of_names: ({ message }) =>
    `The position is stored without attributes, because the organization has as many names of them as it can have${namesIn(message)}. Make the name a source under Attributes.`,
}

export function rejectInWords(reject: Reject): string {
  return WORDS[reject.reason]?.(reject) ?? sentence(reject.message)
}

/** The names of values at the end of a message. */
function namesIn(message: string): string {
  const at = message.lastIndexOf(': ')
  return at === -1 ? '' : message.slice(at)
}
