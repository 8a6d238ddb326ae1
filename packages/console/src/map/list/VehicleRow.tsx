import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react'
import { mergeProps, useFocusVisible, useOption } from 'react-aria'
import { ListStateContext } from 'react-aria-components'
import { useObject } from '../../api/queries.ts'
import { t } from '../../language/text.ts'
import { ago } from '../../ui/format.ts'
import { MotionShape } from '../../ui/MotionShape.tsx'
import { MOTION_NAMES } from '../../ui/motion-names.ts'
import { useNow } from '../../ui/time/clock.ts'
import { speedText } from '../../ui/units.ts'
import type { Seen } from '../fleet/seen.ts'
import type { Names } from '../labels/names.ts'
import type { ObjectName } from '../labels/object-names.ts'
import type { LiveFleet } from '../layer/live-fleet.ts'
import { useSeen } from '../layer/use-live-fleet.ts'
import { isNear, type PlaceFinder, whereText } from './place-finder.ts'

/** A row shows the newest position at most this often. */
const REFRESH_MS = 500

/** How often an address is asked for again. */
const ADDRESS_MS = 30_000

/** The properties that all rows of a list have in common. */
export type RowShared = {
  organization: number
  unit: 'km' | 'mi'
  live: LiveFleet | undefined
  names: Names
  placeAt: PlaceFinder
  onOpen(id: number): void
}

export const RowContext = createContext<RowShared | undefined>(undefined)

/** A vehicle: how it moves, its name, where it is, and how old that is. */
export function VehicleRow({ id }: { id: number }) {
  const shared = useContext(RowContext)!
  const state = useContext(ListStateContext)!
  const ref = useRef<HTMLDivElement>(null)
  const { optionProps, isFocused } = useOption({ key: id }, state, ref)
  const { isFocusVisible } = useFocusVisible()
  const known = useKnown(shared.names, id)
  const at = useSeen(shared.live, REFRESH_MS, id)
  const motion = at?.motion ?? (at === null ? 'no_signal' : 'unknown')
  return (
    <div
      {...mergeProps(optionProps, { onDoubleClick: () => shared.onOpen(id) })}
      // Named by all that it says.
      aria-labelledby={undefined}
      aria-describedby={undefined}
      ref={ref}
      className="vehicle-row"
      data-focus-visible={(isFocused && isFocusVisible) || undefined}
    >
      <MotionShape motion={motion} />
      <span className="vehicle-name">{known?.name ?? '…'}</span>
      <span className="vehicle-speed">
        {motion === 'moving' && at?.speed != null
          ? speedText(at.speed, shared.unit)
          : at !== undefined && MOTION_NAMES[motion]}
      </span>
      <span className="vehicle-where">
        {at === null && t('No position yet')}
        {at === undefined && (known?.address ?? '…')}
        {at != null && <Where id={id} at={at} known={known} />}
      </span>
      <span className="vehicle-age">{at != null && <Age time={at.time} />}</span>
    </div>
  )
}

function Age({ time }: { time: number }) {
  return ago(new Date(time).toISOString(), useNow())
}

type WhereProps = { id: number; at: Seen; known: ObjectName | undefined }

function Where({ id, at: { longitude, latitude, motion }, known }: WhereProps) {
  const { organization, placeAt } = useContext(RowContext)!
  // A vehicle that is somewhere else than when the list was loaded has another address.
  const isMoving = motion === 'moving'
  const hasMoved = known !== undefined && !isNear(known, longitude, latitude)
  const asking = { everyMs: ADDRESS_MS, staleTime: ADDRESS_MS, enabled: hasMoved }
  const newer = useObject(organization, id, asking).data
  return whereText(longitude, latitude, hasMoved ? newer : known, placeAt, isMoving)
}

function useKnown(names: Names, id: number): ObjectName | undefined {
  // After each rendering, because the list of names may be outdated by now.
  useEffect(() => names.known.want([id]))
  return useSyncExternalStore(names.known.onMore, () => names.known.get(id))
}
