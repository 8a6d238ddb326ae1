import { OBJECT_RULES } from './monitored-object.ts'
import { described, MOMENT, optional, type Rules } from './setting-rule.ts'

/** The settings that move a tracker into another object, together with its ident. */
export type TrackerSettings = { since: string; formerIdent: string | null }

export const TRACKER_RULES: Rules<TrackerSettings> = {
  since: described(MOMENT, {
    description:
      'When the tracker with the given `ident` was moved from the object that has this ident to this one. Its positions since then move too, and late packets go to the object that had the tracker at their time.',
    help: 'when its tracker, which another object has now, was put into it; requires --ident, and no other setting',
    placeholder: 'time',
  }),
  formerIdent: described(optional(OBJECT_RULES.ident), {
    description:
      'The ident that the other object gets instead. Null or left out: `no-tracker-` with its id.',
    help: 'the ident that the other object gets instead; no-tracker- and its id by default',
  }),
}
