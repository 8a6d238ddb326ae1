import type { AttributeEntry } from '../../../server/src/base/domain/attributes/attribute-catalogue.ts'
import type { AttributeValue } from '../../../server/src/base/domain/position/attribute.ts'
import type { Attribute } from '../api/types.ts'
import { t } from '../language/text.ts'
import { decimal } from '../ui/format.ts'

export const TYPE_NAMES: Record<AttributeEntry['type'], string> = {
  number: t('Number'),
  boolean: t('Yes or no'),
  text: t('Text'),
}

/** The decimals of values as devices send them. */
const MAX_DECIMALS = 7

/** A value with its unit: `12.5 %`. */
export function valueText(value: AttributeValue, unit: string | null = null): string {
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'string') return value
  const number = decimal(value, MAX_DECIMALS)
  return unit === null ? number : `${number} ${unit}`
}

/** The entry of the server's rules, which maps values. */
export function entryOf({
  ends_with_ignition,
  is_counter,
  maximum_rate,
  is_level,
  is_public,
  value: _,
  value_at: _at,
  checked: _checked,
  no_value: _no,
  out_of_range: _out,
  wrong_type: _wrong,
  ...rest
}: Attribute): AttributeEntry {
  return {
    ...rest,
    endsWithIgnition: ends_with_ignition,
    isCounter: is_counter,
    maximumRate: maximum_rate,
    isLevel: is_level,
    isPublic: is_public,
  }
}
