import { useCurrentAttributes } from '../api/queries.ts'
import type { CurrentAttribute } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { Facts } from '../ui/Figures.tsx'
import { Time } from '../ui/time/Time.tsx'
import { valueText } from './words.ts'

type CurrentAttributesProps = { organization: number; object: number }

/** The current values of an object with their age. Nothing, if its device sends none. */
export function CurrentAttributesCard({ organization, object }: CurrentAttributesProps) {
  const { data } = useCurrentAttributes(organization, object)
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card
      title={t('Attributes')}
      lead={t(
        'The latest values that the device sent. Values without an attribute are shown as sent.',
      )}
    >
      <Facts
        items={data.items.map((each) => [
          labelOf(each, data.items),
          <span key={each.source}>
            {valueText(each.value, each.unit)}{' '}
            <span className="soft small">
              <Time value={each.value_at} as="ago" quiet />
            </span>
          </span>,
        ])}
      />
    </Card>
  )
}

/** The label of a value. If another has the same one, the name as well. */
export function labelOf(
  { label, attribute, source }: CurrentAttribute,
  all: readonly CurrentAttribute[],
): string {
  const isUnique = all.filter((each) => each.label === label).length === 1
  return isUnique ? label : `${label} (${attribute ?? source})`
}
