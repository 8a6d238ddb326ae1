import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { get } from '../api/client.ts'
import { useCurrentAttributes } from '../api/queries.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { labelOf } from '../attributes/CurrentAttributes.tsx'
import { valueText } from '../attributes/words.ts'
import { t } from '../language/text.ts'
import { RejectedPackets } from '../rejects/RejectedPackets.tsx'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { sentenceOf } from '../ui/state/Problem.tsx'
import { duration } from '../ui/time/duration.ts'
import { Time } from '../ui/time/Time.tsx'
import { MOTIONS } from './base/motion.ts'
import { CloseButton } from './CloseButton.tsx'
import { MotionShape } from './fleet/MotionShape.tsx'
import type { LiveFleet } from './layer/live-fleet.ts'
import { useFromLive } from './layer/use-live-fleet.ts'
import { objectFields } from './object-fields.ts'
import { useNow } from './use-now.ts'

/** A moving object reports several times a second. Its fields are refreshed less often. */
const REFRESH_MS = 2_000

type Props = {
  organization: OrganizationSummary
  id: number
  live: LiveFleet | undefined
  following: boolean
  onFollow(following: boolean): void
  onTrack(): void
  onOpen: ((id: number) => void) | undefined
  onClose(): void
}

/** All facts about one object. */
export function ObjectCard(props: Props) {
  const { organization, id, live, onClose } = props
  const path = `/organizations/${organization.id}/objects/${id}`
  const object = useQuery({
    queryKey: ['map', organization.id, 'object', id],
    queryFn: ({ signal }) => get<FleetObject>(path, signal),
  })
  useRefresh(live, id, ['map', organization.id, 'object', id])
  const heading = useRef<HTMLHeadingElement>(null)
  // The focus moves to the card, so that people without a pointer can reach it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: to each card again
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id])

  return (
    <section
      className="fleetmap-card fleetmap-panel"
      aria-labelledby="fleetmap-card-name"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2 id="fleetmap-card-name" ref={heading} tabIndex={-1}>
          {object.data?.name ?? t('Object {{id}}', { id })}
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
      {object.data !== undefined && <Known {...props} object={object.data} />}
    </section>
  )
}

function Known({ object, ...props }: Props & { object: FleetObject }) {
  const { organization, live, id, following, onFollow, onTrack, onOpen } = props
  const now = useNow(1_000)
  const drawn = useFromLive(live, 250, ({ fleet }) => rowOf(fleet, id), sameRow)
  const motion = drawn?.motion ?? object.motion ?? 'unknown'
  const time = drawn?.time ?? (object.time_device === null ? null : Date.parse(object.time_device))
  return (
    <>
      <p className="fleetmap-state">
        <MotionShape motion={motion} />
        <strong>{MOTION_NAMES[motion]}</strong>
        <Age now={now} time={time} />
      </p>
      <div className="fleetmap-actions">
        <button
          type="button"
          aria-pressed={following}
          disabled={drawn == null}
          onClick={() => onFollow(!following)}
        >
          {t('Follow')}
        </button>
        <button type="button" onClick={onTrack}>
          {t('Day’s track')}
        </button>
        {onOpen !== undefined && (
          <button type="button" onClick={() => onOpen(id)}>
            {t('Settings')}
          </button>
        )}
      </div>
      <AttributeFields organization={organization.id} object={id} now={now} />
      <dl className="fleetmap-fields">
        {objectFields(object, organization.distance_unit).map(({ name, value, instant }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{instant ? <Time value={value} as="second" none="–" quiet /> : (value ?? '–')}</dd>
          </div>
        ))}
      </dl>
      <RejectedPackets organization={organization.id} object={id} />
    </>
  )
}

type AttributeFieldsProps = { organization: number; object: number; now: number }

/** The current values of the organization’s attributes with their age. The object’s page has the others too. */
function AttributeFields({ organization, object, now }: AttributeFieldsProps) {
  const current = useCurrentAttributes(organization, object).data?.items ?? []
  const items = current.filter(({ attribute }) => attribute !== null)
  if (items.length === 0) return null
  return (
    <dl className="fleetmap-fields" aria-label={t('Attributes')}>
      {items.map((each) => (
        <div key={each.attribute}>
          <dt>{labelOf(each, items)}</dt>
          <dd>
            {valueText(each.value, each.unit)}{' '}
            <span className="fleetmap-age">
              {t('{{now}} ago', { now: duration(now - Date.parse(each.value_at)) })}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Age({ now, time }: { now: number; time: number | null }) {
  if (time === null) return <span>{t('no position yet')}</span>
  return <span>{t('last fix {{now}} ago', { now: duration(now - time) })}</span>
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
    void client.invalidateQueries({ queryKey })
  }, [id, time])
}
