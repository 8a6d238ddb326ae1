import { useEffect, useId, useState } from 'react'
import { t } from '../../language/text.ts'
import { coordinateText, parseCoordinates } from './coordinate-text.ts'
import type { LonLat, Shape } from './shapes.ts'

type Props = { shape: Shape; onShape(shape: Shape): void }

/** The shape as numbers, for users who have coordinates or draw without a pointer. A site has fields of its own. */
export function CoordinateFields({ shape, onShape }: Props) {
  if (shape.kind === 'site') return null
  return (
    <details className="placemap-coordinates">
      <summary>{t('Coordinates')}</summary>
      {shape.kind === 'geofence' && (
        <PositionsField
          label={t('Corners')}
          positions={shape.value}
          onPositions={(value) => onShape({ kind: 'geofence', value })}
        />
      )}
      {shape.kind === 'route' && <LineFields lines={shape.value} onShape={onShape} />}
    </details>
  )
}

function LineFields({ lines, onShape }: { lines: LonLat[][]; onShape: Props['onShape'] }) {
  const all = lines.length === 0 ? [[]] : lines
  return all.map((line, at) => (
    <PositionsField
      // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place alone
      key={at}
      label={all.length === 1 ? t('Points') : t('Points of line {{at}}', { at: at + 1 })}
      positions={line}
      onPositions={(positions) => {
        const value = all.with(at, positions).filter(({ length }) => length > 0)
        onShape({ kind: 'route', value })
      }}
    />
  ))
}

type PositionsProps = {
  label: string
  positions: LonLat[]
  onPositions(positions: LonLat[]): void
}

function PositionsField({ label, positions, onPositions }: PositionsProps) {
  const id = useId()
  const current = coordinateText(positions)
  const [text, setText] = useState(current)
  const typed = parseCoordinates(text)
  // A new drawing replaces the text, unless the text describes the same shape.
  useEffect(() => {
    setText((before) => {
      const said = parseCoordinates(before)
      return 'positions' in said && coordinateText(said.positions) === current ? before : current
    })
  }, [current])
  return (
    <div className="placemap-field">
      <label htmlFor={id}>
        {t('{{label}}: latitude, longitude; one pair per line', { label })}
      </label>
      <textarea
        id={id}
        rows={Math.min(10, Math.max(4, positions.length + 1))}
        spellCheck={false}
        value={text}
        aria-invalid={'fault' in typed}
        aria-describedby={`${id}-fault`}
        placeholder={'52.5200, 13.4050\n52.5300, 13.4100'}
        onChange={(event) => {
          setText(event.target.value)
          const said = parseCoordinates(event.target.value)
          if ('positions' in said) onPositions(said.positions)
        }}
      />
      <p id={`${id}-fault`} role="status" className="fleetmap-problem">
        {'fault' in typed ? typed.fault : ''}
      </p>
    </div>
  )
}
