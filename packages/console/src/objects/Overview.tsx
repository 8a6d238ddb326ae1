import { Suspense } from 'react'
import { useRights } from '../api/rights.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { CurrentAttributesCard } from '../attributes/CurrentAttributes.tsx'
import { t } from '../language/text.ts'
import { useTrack } from '../records/use-track.ts'
import { Card } from '../ui/Card.tsx'
import { lazily } from '../ui/page/lazily.ts'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { DataAccessCard } from './DataAccessCard.tsx'
import { DetailsCard } from './DetailsCard.tsx'
import { NeverSent } from './NeverSent.tsx'
import { StillCauses } from './StillCauses.tsx'
import { TodayCard } from './TodayCard.tsx'
import { WhereCard } from './WhereCard.tsx'

// The map is most of the console’s weight, and draws the chart too.
const DayChart = lazily(() => import('../map/index.ts'), 'DayChart')

type OverviewProps = { organization: OrganizationSummary; object: FleetObject }

/** The answers to a dispatcher’s questions about a vehicle. */
export function Overview(props: OverviewProps) {
  const { organization, object } = props
  const { oversees } = useRights(organization.id)
  return (
    <>
      {oversees && <StillCauses {...props} urgent />}
      <div className="vehicle-columns">
        <div className="stack">
          {object.time_server === null ? <NeverSent object={object} /> : <Whereabouts {...props} />}
        </div>
        <div className="stack">
          <CurrentAttributesCard organization={organization.id} object={object.id} />
          {oversees && <DataAccessCard organization={organization.id} object={object.id} />}
          <DetailsCard {...props} />
          {/* At the end, because it comes and goes with each stop. */}
          {oversees && <StillCauses {...props} urgent={false} />}
        </div>
      </div>
    </>
  )
}

function Whereabouts({ organization, object }: OverviewProps) {
  const [utc] = useUtc()
  const day = dayOf(Date.now(), utc)
  const track = useTrack(organization.id, object.id, day).data
  const shown = { organization, object, day, track }
  return (
    <>
      <WhereCard {...shown} />
      <TodayCard {...shown} />
      {track !== undefined && track.points.length > 0 && (
        <Card title={t('Chart')}>
          <Suspense fallback={<Skeleton lines={4} />}>
            <DayChart organization={organization} object={object.id} day={day} />
          </Suspense>
        </Card>
      )}
    </>
  )
}
