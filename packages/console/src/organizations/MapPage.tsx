import { lazy, Suspense } from 'react'
import { useLocation } from 'wouter'
import { useServer } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { useTitle } from '../app/title.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import './MapPage.css'

// The map is most of the console's weight, and most pages have none.
const LiveMap = lazy(async () => ({ default: (await import('../map/index.ts')).LiveMap }))

export function MapPage({ organization }: { organization: OrganizationSummary }) {
  useTitle('Map', organization.name)
  const server = useServer()
  const [, navigate] = useLocation()
  return (
    <section className="fills map-page" aria-label="Live map">
      <Loaded query={server}>
        {(answered) => (
          <Suspense fallback={<Skeleton />}>
            <LiveMap
              organization={organization}
              server={answered}
              onOpenObject={(id) => navigate(`/organizations/${organization.id}/objects/${id}`)}
            />
          </Suspense>
        )}
      </Loaded>
    </section>
  )
}
