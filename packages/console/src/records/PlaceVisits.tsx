import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { useAddress } from '../ui/page/address.ts'
import { dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { filtersOf } from './filters.ts'
import { RangeFields } from './RecordFilters.tsx'
import { RecordTable } from './RecordTable.tsx'

type PlaceVisitsProps = {
  organization: OrganizationSummary
  kind: 'geofences' | 'sites'
  place: number
}

const PLACE = ['place_name']

/** The visits to a place in a range of days. */
export function PlaceVisits({ organization, kind, place }: PlaceVisitsProps) {
  const [address, change] = useAddress()
  const [utc] = useUtc()
  const today = dayOf(Date.now(), utc)
  const filters = filtersOf(address, today)
  return (
    <Card title={t('Visits to this place')} lead={t('Based on the last saved shape of the place.')}>
      <fieldset className="record-filters">
        <legend className="visually-hidden">{t('Days')}</legend>
        <RangeFields
          range={filters}
          today={today}
          onChange={(parts) => change(parts, { replace: true })}
        />
      </fieldset>
      <RecordTable
        organization={organization}
        kind="visits"
        label={t('Visits')}
        filters={{ ...filters, geofences: [], sites: [], [kind]: [place] }}
        without={PLACE}
      />
    </Card>
  )
}
