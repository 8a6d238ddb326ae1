import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { get } from '../api/client.ts'
import { useCurrentAttributes } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary, Trips } from '../api/types.ts'
import { labelOf } from '../attributes/CurrentAttributes.tsx'
import { valueText } from '../attributes/words.ts'
import { t } from '../language/text.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { ago, decimal, placeText } from '../ui/format.ts'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { sentenceOf } from '../ui/state/Problem.tsx'
import { useNow } from '../ui/time/clock.ts'
import { dayOf, dayRange } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { Time } from '../ui/time/Time.tsx'
import { useUtc } from '../ui/time/time-zone.ts'
import { speedText } from '../ui/units.ts'
import { MOTIONS } from './base/motion.ts'
import { CloseButton } from './CloseButton.tsx'
import { MotionShape } from './fleet/MotionShape.tsx'
import type { LiveFleet } from './layer/live-fleet.ts'
import { useFromLive } from './layer/use-live-fleet.ts'

/** A moving object reports several times a second. The card is refreshed less often. */
const REFRESH_MS = 2_000

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
  const { organization, id, live, onClose } = props
  const path = `/organizations/${organization.id}/objects/${id}`
  const object = useQuery({
    queryKey: ['map', organization.id, 'object', id],
    queryFn: ({ signal }) => get<FleetObject>(path, signal),
  })
  useRefresh(live, id, ['map', organization.id, 'object', id])
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
      {object.isPending && <p role="status">{t('Loading…')}</p>}
      {object.isError && (
        <div role="alert" className="fleetmap-problem">
          <p>{sentenceOf(object.error)}</p>
          <button type="button" onClick={() => object.refetch()}>
            {t('Try again')}
          </button>
        </div>
      )}
      {object.data !== undefined && <Known {...props} path={path} object={object.data} />}
    </section>
  )
}

function Known({ object, path, ...props }: Props & { object: FleetObject; path: string }) {
  const { organization, live, id, following, onFollow, onDay } = props
  const drawn = useFromLive(live, 250, ({ fleet }) => rowOf(fleet, id), sameRow)
  const motion = drawn?.motion ?? object.motion ?? 'unknown'
  const seen = drawn == null ? object.time_device : new Date(drawn.time).toISOString()
  const speed = motion === 'moving' ? object.speed : null
  return (
    <>
      <p className="fleetmap-state">
        <MotionShape motion={motion} />
        <strong>{MOTION_NAMES[motion]}</strong>
        {speed !== null && <strong>{speedText(speed, organization.distance_unit)}</strong>}
        <Time value={seen} as="ago" none={t('No position yet')} quiet />
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
          disabled={drawn == null}
          onClick={() => onFollow(!following)}
        >
          {t('Follow')}
        </button>
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
  const { from, to } = dayRange(dayOf(useNow(), utc), utc)
  const trips = useQuery({
    queryKey: ['map', organization.id, 'object', object, 'trips', from],
    queryFn: ({ signal }) =>
      get<Trips>(
        `/organizations/${organization.id}/trips?ids=${object}&from_time=${from}&to_time=${to}`,
        signal,
      ),
    refetchInterval: 60_000,
  }).data?.items
  if (trips === undefined) return null
  const distance = trips.reduce((sum, trip) => sum + (trip.distance ?? 0), 0)
  const moving = trips.reduce((sum, trip) => sum + trip.moving_time, 0)
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

type Row = { motion: (typeof MOTIONS)[number]; time: number } | null

function rowOf(fleet: LiveFleet['fleet'], id: number): Row {
  const row = fleet.rowOf.get(id)
  return row === undefined ? null : { motion: MOTIONS[fleet.motion[row]!]!, time: fleet.time[row]! }
}

function sameRow(one: Row, other: Row): boolean {
  return one?.time === other?.time && one?.motion === other?.motion
}

/** Refresh when the stream reports the object. */
function useRefresh(live: LiveFleet | undefined, id: number, queryKey: unknown[]): void {
  const client = useQueryClient()
  const row = useFromLive(live, REFRESH_MS, ({ fleet }) => rowOf(fleet, id), sameRow)
  const seen = useRef<{ id: number; time: number | undefined }>(undefined)
  const time = row?.time
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key follows from the id
  useEffect(() => {
    const known = seen.current
    seen.current = { id, time }
    // The card has already asked for the state at its opening.
    if (known?.id !== id || known.time === undefined || known.time === time) return
    void client.invalidateQueries({ queryKey, exact: true })
  }, [id, time])
}
