import {
  ADMIN_OBJECT_RULES,
  type AdminObjectSettings,
} from '../../../server/src/base/domain/monitored-object.ts'
import { documentedName, labelOf, type Rule } from '../../../server/src/base/domain/setting-rule.ts'
import type { ObjectPatch } from '../api/types.ts'
import { t } from '../language/text.ts'

/** The settings that have words or inputs of their own. */
type Own =
  | ('name' | 'ident' | 'odometerType' | 'engineHoursType' | 'odometerOffset')
  | ('privateHours' | 'privateRanges' | 'privateTimeZone' | 'retentionDays')
type SnakeOf<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeOf<Rest>}`
  : ''
type PlainName = SnakeOf<Exclude<keyof AdminObjectSettings, Own>> & keyof ObjectPatch

const OWN: Record<Own, true> = {
  name: true,
  ident: true,
  odometerType: true,
  engineHoursType: true,
  odometerOffset: true,
  privateHours: true,
  privateRanges: true,
  privateTimeZone: true,
  retentionDays: true,
}

/** All others, with the labels that their rules give. */
export const PLAIN_OBJECT_FIELDS = Object.entries<Rule>(ADMIN_OBJECT_RULES)
  .filter(([key]) => !(key in OWN))
  .map(([key, rule]) => ({
    ...{ name: documentedName(key) as PlainName, label: t(labelOf(key, rule)), rule },
  }))
