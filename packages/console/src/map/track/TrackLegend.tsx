import { t } from '../../language/text.ts'
import { PALETTES } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import { speedBounds } from './track.ts'

/** Explains a day's track: the colours of the way, the stops, and the marker of the chosen time. */
export function TrackLegend({ unit }: { unit: 'km' | 'mi' }) {
  const palette = PALETTES[useTheme()]
  const bounds = speedBounds(unit)
  return (
    <div className="fleetmap-track-legend">
      <p id="fleetmap-speeds">{t('Speed, {{unit}}/h', { unit })}</p>
      <ul aria-labelledby="fleetmap-speeds">
        {palette.speeds.map((colour, at) => (
          <li key={colour} className="fleetmap-choice">
            <svg width="18" height="6" aria-hidden="true">
              <rect width="18" height="6" rx="3" fill={colour} />
            </svg>
            {at === 0
              ? `under ${bounds[0]}`
              : `${bounds[at - 1]}${at < bounds.length ? `–${bounds[at]}` : '+'}`}
          </li>
        ))}
      </ul>
      <p id="fleetmap-on-the-way">{t('On the way')}</p>
      <ul aria-labelledby="fleetmap-on-the-way">
        <Dot colour={palette.motion.stopped}>{t('Stop, engine off')}</Dot>
        <Dot colour={palette.motion.idle}>{t('Stop, engine running')}</Dot>
        <Dot colour={palette.selected}>{t('Position at the chosen time')}</Dot>
      </ul>
    </div>
  )
}

function Dot({ colour, children }: { colour: string; children: string }) {
  return (
    <li className="fleetmap-choice">
      <svg viewBox="-10 -10 20 20" width="18" height="18" aria-hidden="true">
        <circle r="6" fill={colour} />
      </svg>
      {children}
    </li>
  )
}
