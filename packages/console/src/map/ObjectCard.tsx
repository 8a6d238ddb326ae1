import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useCurrentAttributes } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { useVehicle } from '../api/use-vehicle.ts'
import { valueText } from '../attributes/attribute-texts.ts'
import { labelOf } from '../attributes/CurrentAttributes.tsx'
import { t } from '../language/text.ts'
import { useDayRecords } from '../records/day-records.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { ago, decimal, placeText } from '../ui/format.ts'
import { MotionFor } from '../ui/MotionFor.tsx'
import { MotionShape } from '../ui/MotionShape.tsx'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { useNow } from '../ui/time/clock.ts'
import { dayOf } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { Updated } from '../ui/time/Updated.tsx'
import { speedText } from '../ui/units.ts'
import { CloseButton } from './CloseButton.tsx'
import type { LiveFleet } from './layer/live-fleet.ts'
import { useSeen } from './layer/use-live-fleet.ts'

/** The vehicle's page has all attributes. */
const MAX_ATTRIBUTES = 3

type Props = {
  organization: OrganizationSummary
  id: number
  live: LiveFleet | undefined
  following: boolean
  onFollow(following: boolean): void
  onDay(): void
  onClose(): void
}

/** The first facts about a vehicle. Its page has the rest. */
export function ObjectCard(props: Props) {
  const { organization, id, onClose } = props
  const path = `/organizations/${organization.id}/objects/${id}`
  const object = useVehicle(organization.id, id)
  const name = useRef<HTMLHeadingElement>(null)
  // The focus moves to the card, so that people without a pointer can reach it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: to each card again
  useEffect(() => name.current?.focus({ preventScroll: true }), [id])

  return (
    <section
      className="fleetmap-card fleetmap-panel"
      aria-labelledby="fleetmap-card-name"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2 id="fleetmap-card-name" ref={name} tabIndex={-1}>
          <Link href={path}>{object.data?.name ?? t('Vehicle {{id}}', { id: String(id) })}</Link>
        </h2>
        <CloseButton label={t('Close')} onPress={onClose} />
      </header>
      <Loaded query={object}>
        {(each) => <Known key={id} {...props} path={path} object={each} />}
      </Loaded>
    </section>
  )
}

function Known({ object, path, ...props }: Props & { object: FleetObject; path: string }) {
  const { organization, live, id, following, onFollow, onDay } = props
  const seen = useSeen(live, 250, id)
  const motion = seen?.motion ?? object.motion ?? 'unknown'
  const at = seen == null ? object.time_device : new Date(seen.time).toISOString()
  const speed = motion === 'moving' ? (seen ?? object).speed : null
  return (
    <>
      <p className="fleetmap-state">
        <MotionShape motion={motion} />
        <strong>
          {motion === object.motion ? <MotionFor object={object} /> : MOTION_NAMES[motion]}
        </strong>
        {speed !== null && <strong>{speedText(speed, organization.distance_unit)}</strong>}
        {at === null ? <span>{t('No position yet')}</span> : <Updated at={at} />}
      </p>
      <p className="fleetmap-where">{object.address ?? placeText(object)}</p>
      <dl className="fleetmap-fields">
        <AttributeFields organization={organization.id} object={id} />
        <Today organization={organization} object={id} />
      </dl>
      <div className="fleetmap-actions">
        <button type="button" onClick={onDay}>
          {t('Day')}
        </button>
        <button
          type="button"
          aria-pressed={following}
          disabled={seen == null}
          onClick={() => onFollow(!following)}
        >
          {t('Follow')}
        </button>
        <Changing>
          <ButtonLink to={`${path}?share=link`}>{t('Share')}</ButtonLink>
        </Changing>
        <ButtonLink to={path}>{t('Vehicle page')}</ButtonLink>
      </div>
    </>
  )
}

/** The first of the organization’s attributes, with the age of their values. */
function AttributeFields({ organization, object }: { organization: number; object: number }) {
  const now = useNow()
  const current = useCurrentAttributes(organization, object).data?.items ?? []
  const items = current.filter(({ attribute }) => attribute !== null)
  return items.slice(0, MAX_ATTRIBUTES).map((each) => (
    <div key={each.attribute}>
      <dt>{labelOf(each, items)}</dt>
      <dd>
        {valueText(each.value, each.unit)}{' '}
        <span className="fleetmap-age">{ago(each.value_at, now)}</span>
      </dd>
    </div>
  ))
}

/** The trips of today so far. */
function Today({ organization, object }: { organization: OrganizationSummary; object: number }) {
  const [utc] = useUtc()
  const records = useDayRecords(organization.id, object, dayOf(useNow(), utc), utc).data?.records
  if (records === undefined) return null
  const trips = records.filter((record) => record.kind === 'trip')
  const distance = trips.reduce((sum, { row }) => sum + (row.distance ?? 0), 0)
  const moving = trips.reduce((sum, { row }) => sum + row.moving_time, 0)
  return (
    <div>
      <dt>{t('Today')}</dt>
      <dd>
        {trips.length === 0
          ? t('No trips')
          : t('{{count, number}} trips · {{distance}} {{unit}} · {{driving}}', {
              count: trips.length,
              distance: decimal(distance),
              unit: organization.distance_unit,
              driving: duration(moving * 1_000),
            })}
      </dd>
    </div>
  )
}
