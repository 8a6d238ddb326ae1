import { useCredentials } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { useAddress } from '../app/address.ts'
import { useTitle } from '../app/title.ts'
import { filtersOf } from '../records/filters.ts'
import { RangeFields } from '../records/RecordFilters.tsx'
import { Card } from '../ui/Card.tsx'
import { SelectField } from '../ui/form/Field.tsx'
import { dayOf } from '../ui/time/days.ts'
import { DisclosureTable } from './DisclosureTable.tsx'

/** How much of each object each key was shown, in a range of days. */
export function DisclosuresPage({ organization }: { organization: OrganizationSummary }) {
  useTitle('What was given out', organization.name)
  const [address, change] = useAddress()
  const today = dayOf(Date.now(), true)
  const { from, to } = filtersOf(address, today)
  const key = address.get('key') ?? ''
  const keys = useCredentials(organization.id, 'keys').data?.items ?? []
  const names = keys.map(({ id, name, last_four }) => [`${id}`, `${name} (…${last_four})`] as const)
  return (
    <Card
      title="What was given out"
      lead="The objects that each key was shown, and how often. A row is a position, a state, a trip, a stop, a visit or a day. Days are those of UTC."
    >
      <fieldset className="record-filters">
        <legend className="visually-hidden">Filters</legend>
        <RangeFields
          range={{ from, to }}
          today={today}
          onChange={(parts) => change(parts, { replace: true })}
        />
        <SelectField
          label="API key"
          options={[['', 'All keys'], ...names]}
          value={names.some(([id]) => id === key) ? key : ''}
          onChange={(chosen) => change({ key: chosen }, { replace: true })}
        />
      </fieldset>
      <DisclosureTable organization={organization} selection={selectionOf(from, to, key)} />
    </Card>
  )
}

/** The parameters of the admin API. A link may name any key. */
function selectionOf(from: string, to: string, key: string): string {
  return String(new URLSearchParams({ from, to, ...(/^[1-9]\d{0,14}$/.test(key) && { key }) }))
}
