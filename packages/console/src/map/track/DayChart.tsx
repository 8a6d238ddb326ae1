import type { OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { useDayRecords } from '../../records/day-records.ts'
import { useTrack } from '../../records/use-track.ts'
import { Loaded } from '../../ui/state/Loaded.tsx'
import type { Day } from '../../ui/time/days.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { TrackChart } from './TrackChart.tsx'

export type DayChartProps = {
  organization: Pick<OrganizationSummary, 'id' | 'distance_unit'>
  object: number
  day: Day
}

/** The speed of an object on a day, and any number that its device sent, with its stops and refuellings. */
export function DayChart({ organization, object, day }: DayChartProps) {
  const { id, distance_unit: unit } = organization
  const [utc] = useUtc()
  const track = useTrack(id, object, day)
  const records = useDayRecords(id, object, day, utc).data?.records ?? []
  return (
    <Loaded query={track} lines={4}>
      {(loaded) =>
        loaded.points.length === 0 ? (
          <p className="soft">{t('No positions on this day.')}</p>
        ) : (
          <TrackChart track={loaded} records={records} unit={unit} />
        )
      }
    </Loaded>
  )
}
