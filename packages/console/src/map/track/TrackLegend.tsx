import { t } from '../../language/text.ts'
import { speedUnit } from '../../ui/units.ts'
import { PALETTES } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import { speedBounds } from './track.ts'

/** Explains a day's track: the colors of the track, the stops, and the marker of the chosen time. */
export function TrackLegend({ unit }: { unit: 'km' | 'mi' }) {
  const palette = PALETTES[useTheme()]
  const bounds = speedBounds(unit)
  return (
    <div className="fleetmap-track-legend">
      <p id="fleetmap-speeds">{t('Speed, {{unit}}', { unit: speedUnit(unit) })}</p>
      <ul aria-labelledby="fleetmap-speeds">
        {palette.speeds.map((color, at) => (
          <li key={color} className="fleetmap-choice">
            <svg width="18" height="6" aria-hidden="true">
              <rect width="18" height="6" rx="3" fill={color} />
            </svg>
            {classText(bounds, at)}
          </li>
        ))}
      </ul>
      <p id="fleetmap-on-the-way">{t('Markers')}</p>
      <ul aria-labelledby="fleetmap-on-the-way">
        <Dot color={palette.motion.stopped}>{t('Numbered stop, engine off')}</Dot>
        <Dot color={palette.motion.idle}>{t('Numbered stop, engine running')}</Dot>
        <Dot color={palette.selected}>{t('Position at the chosen time')}</Dot>
      </ul>
    </div>
  )
}

function classText(bounds: readonly number[], at: number): string {
  const [from, to] = [bounds[at - 1], bounds[at]]
  if (from === undefined) return t('under {{speed}}', { speed: to! })
  return to === undefined ? t('{{speed}} or more', { speed: from }) : `${from}–${to}`
}

function Dot({ color, children }: { color: string; children: string }) {
  return (
    <li className="fleetmap-choice">
      <svg viewBox="-10 -10 20 20" width="18" height="18" aria-hidden="true">
        <circle r="6" fill={color} />
      </svg>
      {children}
    </li>
  )
}
