import { Suspense, useMemo } from 'react'
import { Link } from 'wouter'
import { useServer } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary, Track } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { CopyValue } from '../ui/Copy.tsx'
import { lazily } from '../ui/page/lazily.ts'
import { mapHref } from '../ui/page/map-address.ts'
import type { Day } from '../ui/time/days.ts'
import { Time } from '../ui/time/Time.tsx'

const VehicleMap = lazily(() => import('../map/index.ts'), 'VehicleMap')

type WhereCardProps = {
  organization: OrganizationSummary
  object: FleetObject
  day: Day
  /** Today's. Undefined while it is loading. */
  track: Track | undefined
}

/** Where a vehicle is, with a picture of the map. */
export function WhereCard({ organization, object, day, track }: WhereCardProps) {
  const server = useServer().data
  const way = useMemo(
    () => (track?.points ?? []).map(([, ...at]) => [at[0], at[1]] as [number, number]),
    [track],
  )
  const { id, latitude, longitude, address } = object
  if (latitude === null || longitude === null) {
    return (
      <Card
        title={t('Location')}
        lead={t('Packets arrive, but none has had an acceptable position yet.')}
      />
    )
  }
  const label = t('Show {{name}} on the map', { name: object.name })
  return (
    <Card
      title={address ?? t('Location')}
      lead={
        <>
          <CopyValue label={t('Coordinates')} text={`${latitude}, ${longitude}`} />
          <a className="touch-only" href={`geo:${latitude},${longitude}`}>
            {t('Open in maps app')}
          </a>
          {' · '}
          <Time value={object.time_device} as="ago" />
        </>
      }
    >
      <div className="vehicle-map">
        <Suspense>
          {server !== undefined && (
            <VehicleMap
              name={t('Map of {{name}}', { name: object.name })}
              at={[longitude, latitude]}
              motion={object.motion ?? 'unknown'}
              heading={object.angle}
              way={way}
              server={server}
              unit={organization.distance_unit}
            />
          )}
        </Suspense>
        <Link
          href={mapHref(organization.id, id, way.length === 0 ? {} : { day })}
          aria-label={label}
          title={label}
        />
      </div>
    </Card>
  )
}
