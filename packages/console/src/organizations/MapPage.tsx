import { Suspense } from 'react'
import { useServer } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { DayList } from '../records/DayList.tsx'
import { useAddress } from '../ui/page/address.ts'
import { lazily } from '../ui/page/lazily.ts'
import { trackedIn } from '../ui/page/map-address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import './MapPage.css'

// The map is most of the console's weight, and most pages have none.
const LiveMap = lazily(() => import('../map/index.ts'), 'LiveMap')

export function MapPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Map'), organization.name)
  const server = useServer()
  const [address, change] = useAddress()
  const { object, day } = trackedIn(address)
  const dayList =
    object === undefined || day === undefined ? undefined : (
      <DayList
        key={object}
        organization={organization}
        object={object}
        day={day}
        chosen={address.get('record')}
        onChoose={(record) => change({ record })}
      />
    )
  return (
    <section className="fills map-page" aria-label={t('Live map')}>
      <Loaded query={server}>
        {(answered) => (
          <Suspense fallback={<Skeleton />}>
            <LiveMap organization={organization} server={answered} dayList={dayList} />
          </Suspense>
        )}
      </Loaded>
    </section>
  )
}
