import { byTopic, PLACE_TOPICS, schemaNameOf } from '../../../server/src/base/domain/items.ts'
import type { PlaceKind } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { count } from '../ui/format.ts'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { MOTIONS, type MotionOrUnknown } from './base/motion.ts'
import { MotionShape } from './fleet/MotionShape.tsx'
import type { LiveFleet } from './layer/live-fleet.ts'
import { useFromLive } from './layer/use-live-fleet.ts'
import { TrackLegend } from './track/TrackLegend.tsx'

export type Shown = Record<MotionOrUnknown | PlaceKind | 'names', boolean>

const ALL_SHOWN: Shown = {
  moving: true,
  idle: true,
  stopped: true,
  no_signal: true,
  unknown: true,
  ...byTopic(PLACE_TOPICS, () => true),
  names: true,
}

/** The layers that the address does not hide. Words that name none are ignored. */
export function shownOf(hide: string | null): Shown {
  const hidden = new Set(hide?.split(' '))
  const kept = Object.keys(ALL_SHOWN).map((layer) => [layer, !hidden.has(layer)])
  return Object.fromEntries(kept) as Shown
}

/** The hidden layers, as the address names them. */
export function hiddenOf(shown: Shown): string {
  return Object.entries(shown)
    .filter(([, isShown]) => !isShown)
    .map(([layer]) => layer)
    .join(' ')
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
  /** The unit of a day's track, while one is drawn in the place of the fleet. */
  track: 'km' | 'mi' | undefined
}

/** Explains the shapes, counts each motion, and chooses which are drawn. */
export function Legend({ live, places, shown, onShown, track }: Props) {
  return (
    <details
      className="fleetmap-legend fleetmap-panel"
      open={matchMedia('(width > 700px)').matches}
    >
      <summary>{t('Legend')}</summary>
      {track === undefined ? (
        <Objects live={live} shown={shown} onShown={onShown} />
      ) : (
        <TrackLegend unit={track} />
      )}
      <fieldset>
        <legend>{t('Places')}</legend>
        {PLACE_TOPICS.map((kind) => (
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

type ObjectsProps = Pick<Props, 'live' | 'shown' | 'onShown'>

function Objects({ live, shown, onShown }: ObjectsProps) {
  const counts = useFromLive(live, 500, ({ fleet }) => [...fleet.counts], sameCounts)
  const motions = MOTIONS.filter(
    (motion, code) => motion !== 'unknown' || (counts?.[code] ?? 0) > 0,
  )
  return (
    <fieldset>
      <legend>{t('Objects')}</legend>
      {motions.map((motion) => (
        <Choice key={motion} of={motion} shown={shown} onShown={onShown}>
          <MotionShape motion={motion} />
          {MOTION_NAMES[motion]}
          <Count of={counts?.[MOTIONS.indexOf(motion)]} />
        </Choice>
      ))}
      <Choice of="names" shown={shown} onShown={onShown}>
        <Sign>
          <text y="4.5" textAnchor="middle" fontSize="14" fill="currentColor" stroke="none">
            {t('Ab')}
          </text>
        </Sign>
        {t('Names, close up')}
      </Choice>
      <ul>
        <li className="fleetmap-choice">
          <Sign>
            <circle r="8" strokeWidth="2.5" />
            <path d="M0 -8A8 8 0 0 1 8 0" strokeWidth="4" className="fleetmap-shape-moving" />
          </Sign>
          {t('Several, by motion')}
        </li>
        <li className="fleetmap-choice fleetmap-shape-moving">
          <Sign>
            <circle r="5.5" fill="currentColor" />
          </Sign>
          <span className="fleetmap-plain">{t('Moving, no heading')}</span>
        </li>
        <li className="fleetmap-choice fleetmap-shape-selected">
          <Sign>
            <circle r="8" strokeWidth="2.5" />
          </Sign>
          <span className="fleetmap-plain">{t('Selected')}</span>
        </li>
      </ul>
    </fieldset>
  )
}

const PLACE_NAMES = byTopic(PLACE_TOPICS, schemaNameOf)

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
  return <span className="fleetmap-count">{of === undefined ? '–' : count(of)}</span>
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

/** A sign that is drawn by lines. */
function Sign({ children }: { children: React.ReactNode }) {
  return (
    <svg
      className="fleetmap-sign"
      viewBox="-10 -10 20 20"
      width="18"
      height="18"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}
