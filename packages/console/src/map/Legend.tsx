import { MOTION_NAMES } from '../ui/motion-names.ts'
import type { LiveFleet } from './live-fleet.ts'
import { MotionShape } from './MotionShape.tsx'
import { MOTIONS, type MotionOrUnknown } from './motion.ts'
import type { PlaceKind } from './places.ts'
import { useFromLive } from './use-live-fleet.ts'

export type Shown = Record<MotionOrUnknown | PlaceKind, boolean>

export const ALL_SHOWN: Shown = {
  moving: true,
  idle: true,
  stopped: true,
  unknown: true,
  geofences: true,
  routes: true,
  sites: true,
}

/** One bit for each visible motion. */
export function shownBits(shown: Shown): number {
  return MOTIONS.reduce((bits, motion, code) => bits | (shown[motion] ? 1 << code : 0), 0)
}

type Props = {
  live: LiveFleet | undefined
  places: Record<PlaceKind, number>
  shown: Shown
  onShown(shown: Shown): void
}

/** Explains the shapes, counts each motion, and chooses which are drawn. */
export function Legend({ live, places, shown, onShown }: Props) {
  const counts = useFromLive(live, 500, ({ fleet }) => [...fleet.counts], sameCounts)
  const motions = MOTIONS.filter(
    (motion, code) => motion !== 'unknown' || (counts?.[code] ?? 0) > 0,
  )
  return (
    <details
      className="fleetmap-legend fleetmap-panel"
      open={matchMedia('(width > 700px)').matches}
    >
      <summary>Legend</summary>
      <fieldset>
        <legend>Objects</legend>
        {motions.map((motion) => (
          <Choice key={motion} of={motion} shown={shown} onShown={onShown}>
            <MotionShape motion={motion} />
            {MOTION_NAMES[motion]}
            <Count of={counts?.[MOTIONS.indexOf(motion)]} />
          </Choice>
        ))}
      </fieldset>
      <fieldset>
        <legend>Places</legend>
        {(['geofences', 'routes', 'sites'] as const).map((kind) => (
          <Choice key={kind} of={kind} shown={shown} onShown={onShown}>
            <PlaceShape kind={kind} />
            {PLACE_NAMES[kind]}
            <Count of={places[kind]} />
          </Choice>
        ))}
      </fieldset>
    </details>
  )
}

const PLACE_NAMES: Record<PlaceKind, string> = {
  geofences: 'Geofences',
  routes: 'Routes',
  sites: 'Sites',
}

type ChoiceProps = {
  of: keyof Shown
  shown: Shown
  onShown(shown: Shown): void
  children: React.ReactNode
}

function Choice({ of, shown, onShown, children }: ChoiceProps) {
  return (
    <label className="fleetmap-choice">
      <input
        type="checkbox"
        checked={shown[of]}
        onChange={(event) => onShown({ ...shown, [of]: event.target.checked })}
      />
      {children}
    </label>
  )
}

function Count({ of }: { of: number | undefined }) {
  return <span className="fleetmap-count">{of === undefined ? '–' : of.toLocaleString()}</span>
}

function PlaceShape({ kind }: { kind: PlaceKind }) {
  return (
    <svg
      className="fleetmap-shape fleetmap-shape-place"
      viewBox="-10 -10 20 20"
      width="18"
      height="18"
      aria-hidden="true"
    >
      {kind === 'geofences' && (
        <path
          d="M-7 -4 2 -8 8 1 3 7 -6 6Z"
          fillOpacity="0.25"
          stroke="currentColor"
          strokeWidth="2"
        />
      )}
      {kind === 'routes' && (
        <path d="M-8 6 -2 -5 3 3 8 -6" fill="none" stroke="currentColor" strokeWidth="3" />
      )}
      {kind === 'sites' && (
        <>
          <circle r="8" fillOpacity="0.2" stroke="currentColor" strokeWidth="1.5" />
          <circle r="3" />
        </>
      )}
    </svg>
  )
}

function sameCounts(one: number[], other: number[]): boolean {
  return one.every((count, at) => count === other[at])
}
