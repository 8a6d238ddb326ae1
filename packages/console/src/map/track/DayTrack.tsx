import type { Map as MapLibre } from 'maplibre-gl'
import type { OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { type DayRecord, useDayRecords } from '../../records/day-records.ts'
import { useTrack } from '../../records/use-track.ts'
import { deletionHref } from '../../ui/page/delete-address.ts'
import { Loaded } from '../../ui/state/Loaded.tsx'
import type { Day } from '../../ui/time/days.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { TrackPlayer } from './TrackPlayer.tsx'

type Props = {
  organization: OrganizationSummary
  object: number
  map: MapLibre | undefined
  day: Day
  /** The key of the record that the map shows. */
  chosen: string | null
  onChoose(key: string | null): void
  onClose(): void
}

const NO_RECORDS: DayRecord[] = []

/** The track of an object on one day: drawn on the map, played, and as a chart. */
export function DayTrack({ organization, object, map, day, chosen, onChoose, onClose }: Props) {
  const [utc] = useUtc()
  const track = useTrack(organization.id, object, day)
  const records = useDayRecords(organization.id, object, day, utc).data?.records

  return (
    <section
      className="fleetmap-track fleetmap-panel"
      aria-label={t('Day’s track')}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <Loaded query={track}>
        {(loaded) =>
          loaded.points.length === 0 ? (
            <p role="status">{t('No positions on this day.')}</p>
          ) : (
            <TrackPlayer
              key={`${object} ${day} ${utc}`}
              track={loaded}
              records={records ?? NO_RECORDS}
              chosen={chosen}
              onChoose={onChoose}
              unit={organization.distance_unit}
              map={map}
              deletionOf={(time) => deletionHref(organization.id, object, time)}
            />
          )
        }
      </Loaded>
    </section>
  )
}
