import { useState } from 'react'
import { useCurrentAttributes } from '../api/queries.ts'
import type { CurrentAttribute } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Time } from '../ui/time/Time.tsx'
import { valueText } from './attribute-texts.ts'
import './CurrentAttributes.css'

type CurrentAttributesProps = { organization: number; object: number }

/** How many are shown until all are wanted. */
const SHOWN = 8

/** The current values of an object with their age, the newest first. Nothing, if its device sends none. */
export function CurrentAttributesCard({ organization, object }: CurrentAttributesProps) {
  const { data } = useCurrentAttributes(organization, object)
  const [showsAll, setShowsAll] = useState(false)
  if (data === undefined || data.items.length === 0) return null
  const all = data.items.toSorted(
    (one, other) =>
      Number(one.attribute === null) - Number(other.attribute === null) ||
      Date.parse(other.value_at) - Date.parse(one.value_at),
  )
  const shown = showsAll ? all : all.slice(0, SHOWN)
  return (
    <Card title={t('Attributes')}>
      <dl className="current-attributes">
        {shown.map((each) => (
          <div key={each.source}>
            <dt>{labelOf(each, all)}</dt>
            <dd>
              {valueText(each.value, each.unit)}
              <span className="soft small">
                <Time value={each.value_at} as="ago" quiet />
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {all.length > shown.length && (
        <div className="row">
          <Button small look="quiet" onClick={() => setShowsAll(true)}>
            {t('Show all ({{count, number}})', { count: all.length })}
          </Button>
        </div>
      )}
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
