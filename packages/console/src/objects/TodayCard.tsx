import type { FleetObject, OrganizationSummary, Track } from '../api/types.ts'
import { valueText } from '../attributes/words.ts'
import { t } from '../language/text.ts'
import { Deriving } from '../records/Deriving.tsx'
import { useDayRecords } from '../records/day-records.ts'
import { stopNumbers } from '../records/stop-numbers.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Figures } from '../ui/Figures.tsx'
import { count } from '../ui/format.ts'
import { mapHref } from '../ui/page/map-address.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { besideDay, type Day } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { distanceText } from '../ui/units.ts'
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
            <Figures
              items={[
                [t('Distance'), far(track, organization)],
                [t('Driving'), long(track?.moving_seconds)],
                [t('Idle'), long(track?.idle_seconds)],
                [t('Trips'), count(all.filter(({ kind }) => kind === 'trip').length)],
                [t('Stops'), count(stopNumbers(all).size)],
                ...(track?.levels ?? []).map((level) => [level.label, usedText(level)] as const),
              ]}
            />
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

/** `12 % used, 40 % filled`: what is not zero. */
function usedText({ used, filled, drained, unit }: Track['levels'][number]): string {
  const parts = [
    used === 0 ? [] : t('{{amount}} used', { amount: valueText(used, unit) }),
    filled === 0 ? [] : t('{{amount}} filled', { amount: valueText(filled, unit) }),
    drained === 0 ? [] : t('{{amount}} drained', { amount: valueText(drained, unit) }),
  ].flat()
  return parts.length === 0 ? t('No change') : parts.join(', ')
}

function far(track: Track | undefined, { distance_unit: unit }: OrganizationSummary): string {
  return track === undefined ? '–' : distanceText(track.distance, unit)
}

function long(seconds: number | undefined): string {
  return seconds === undefined ? '–' : duration(seconds * 1_000)
}
