import type { Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { MotionShape } from '../ui/MotionShape.tsx'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { MOTIONS } from './base/motion.ts'
import type { Layers } from './layers.ts'
import { StreetsHint } from './StreetsHint.tsx'
import { TrackLegend } from './track/TrackLegend.tsx'

type Props = {
  server: Server
  layers: Layers
  onLayers(layers: Layers): void
  /** The unit of a day's track, while one is drawn in the place of the fleet. */
  track: 'km' | 'mi' | undefined
}

const LAYERS: [keyof Layers, string][] = [
  ['places', t('Places')],
  ['routes', t('Routes')],
  ['names', t('Names')],
]

/** Turns layers on and off, and explains the shapes. */
export function Legend({ server, layers, onLayers, track }: Props) {
  return (
    <div className="fleetmap-layers">
      <details className="fleetmap-legend fleetmap-panel">
        <summary>{t('Legend')}</summary>
        {track === undefined ? <VehicleLegend /> : <TrackLegend unit={track} />}
        <StreetsHint map={server.map} />
      </details>
      <fieldset className="fleetmap-toggles fleetmap-panel">
        <legend className="fleetmap-hidden">{t('Layers')}</legend>
        {LAYERS.map(([layer, name]) => (
          <button
            key={layer}
            type="button"
            aria-pressed={layers[layer]}
            onClick={() => onLayers({ ...layers, [layer]: !layers[layer] })}
          >
            {name}
          </button>
        ))}
      </fieldset>
    </div>
  )
}

function VehicleLegend() {
  return (
    <ul>
      {MOTIONS.map((motion) => (
        <li key={motion}>
          <MotionShape motion={motion} />
          {MOTION_NAMES[motion]}
        </li>
      ))}
      <li className="fleetmap-shape-moving">
        <Sign>
          <circle r="5.5" fill="currentColor" />
        </Sign>
        <span className="fleetmap-plain">{t('Moving, heading unknown')}</span>
      </li>
      <li>
        <Sign>
          <circle r="8" strokeWidth="1.5" />
          <path d="M0 -8A8 8 0 0 1 8 0" strokeWidth="3" className="fleetmap-shape-moving" />
        </Sign>
        {t('Several vehicles, by motion')}
      </li>
      <li className="fleetmap-shape-selected">
        <Sign>
          <circle r="8" strokeWidth="2.5" />
        </Sign>
        <span className="fleetmap-plain">{t('Selected')}</span>
      </li>
      <li className="fleetmap-shape-place">
        <Sign>
          <path d="M-7 -4 2 -8 8 1 3 7 -6 6Z" fill="currentColor" fillOpacity="0.15" />
        </Sign>
        <span className="fleetmap-plain">{t('Geofence')}</span>
      </li>
      <li className="fleetmap-shape-place">
        <Sign>
          <circle r="8" />
          <circle r="2.5" fill="currentColor" />
        </Sign>
        <span className="fleetmap-plain">{t('Site')}</span>
      </li>
      <li className="fleetmap-shape-place">
        <Sign>
          <path d="M-8 6 -2 -5 3 3 8 -6" strokeWidth="3" />
        </Sign>
        <span className="fleetmap-plain">{t('Route')}</span>
      </li>
    </ul>
  )
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
