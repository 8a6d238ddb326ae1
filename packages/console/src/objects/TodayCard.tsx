import type { FleetObject, OrganizationSummary, Track } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Deriving } from '../records/Deriving.tsx'
import { useDayRecords } from '../records/day-records.ts'
import { dayTotals } from '../records/day-totals.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Figures } from '../ui/Figures.tsx'
import { mapHref } from '../ui/page/map-address.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { besideDay, type Day } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { TodayRecords } from './TodayRecords.tsx'

type TodayCardProps = {
  organization: OrganizationSummary
  object: FleetObject
  day: Day
  track: Track | undefined
}

/** The totals, trips and stops of today. */
export function TodayCard({ organization, object, day, track }: TodayCardProps) {
  const [utc] = useUtc()
  const records = useDayRecords(organization.id, object.id, day, utc)
  const base = `/organizations/${organization.id}`
  const mapOf = (each: Day) => mapHref(organization.id, object.id, { day: each })
  return (
    <Card
      title={t('Today')}
      actions={
        <>
          <ButtonLink small look="quiet" to={`${base}/records/trips?objects=${object.id}`}>
            {t('All trips')}
          </ButtonLink>
          <ButtonLink small to={mapOf(besideDay(day, -1))}>
            {t('Yesterday')}
          </ButtonLink>
          <ButtonLink small to={mapOf(day)}>
            {t('Today on map')}
          </ButtonLink>
        </>
      }
    >
      <Loaded query={records} lines={4}>
        {({ records: all, isDerived }) => (
          <>
            {track !== undefined && <Figures items={dayTotals(track, all, organization)} />}
            {!isDerived && <Deriving />}
            <TodayRecords
              organization={organization}
              object={object.id}
              day={day}
              records={all}
              track={track}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
