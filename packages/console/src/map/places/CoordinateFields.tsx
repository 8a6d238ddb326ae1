import { useEffect, useId, useState } from 'react'
import { SITE_RULES } from '../../../../server/src/base/domain/places/place-settings.ts'
import type { Rule } from '../../../../server/src/base/domain/setting-rule.ts'
import { said } from '../../language/said.ts'
import { t } from '../../language/text.ts'
import { coordinateText, parseCoordinates } from './coordinate-text.ts'
import { type LonLat, RADIUS_UNSAID_METERS, type Shape } from './shapes.ts'

type Props = { shape: Shape; onShape(shape: Shape): void }

/** The shape as numbers, for users who have coordinates or draw without a pointer. */
export function CoordinateFields({ shape, onShape }: Props) {
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
      {shape.kind === 'site' && <CircleFields shape={shape} onShape={onShape} />}
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
      <label htmlFor={id}>{t('{{label}}: latitude, longitude, a pair to a line', { label })}</label>
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

function CircleFields({ shape, onShape }: Props & { shape: Extract<Shape, { kind: 'site' }> }) {
  const { value } = shape
  function set(field: 'latitude' | 'longitude' | 'radius', number: number | null): void {
    const before = value ?? { latitude: 0, longitude: 0, radius: RADIUS_UNSAID_METERS }
    if (number === null && field !== 'radius') return
    onShape({ kind: 'site', value: { ...before, [field]: number } })
  }
  return (
    <div className="placemap-numbers">
      <NumberField
        label={t('Latitude')}
        rule={SITE_RULES.latitude}
        value={value?.latitude ?? null}
        onValue={(to) => set('latitude', to)}
      />
      <NumberField
        label={t('Longitude')}
        rule={SITE_RULES.longitude}
        value={value?.longitude ?? null}
        onValue={(to) => set('longitude', to)}
      />
      <NumberField
        label={t('Radius (m)')}
        rule={SITE_RULES.radius}
        value={value?.radius ?? null}
        onValue={(to) => set('radius', to)}
      />
    </div>
  )
}

type NumberProps = {
  label: string
  rule: Rule
  value: number | null
  onValue(value: number | null): void
}

function NumberField({ label, rule, value, onValue }: NumberProps) {
  const id = useId()
  const current = value === null ? '' : String(value)
  const [text, setText] = useState(current)
  useEffect(() => {
    setText((before) => (before !== '' && Number(before) === Number(current) ? before : current))
  }, [current])
  const number = text.trim() === '' ? null : Number(text)
  const fault = number !== null && !rule.holds(number)
  return (
    <div className="placemap-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={text}
        aria-invalid={fault}
        aria-describedby={`${id}-fault`}
        onChange={(event) => {
          setText(event.target.value)
          const next = event.target.value.trim() === '' ? null : Number(event.target.value)
          if (next === null || rule.holds(next)) onValue(next)
        }}
      />
      <p id={`${id}-fault`} role="status" className="fleetmap-problem">
        {fault ? t('It must be {{says}}.', { says: said(rule.says) }) : ''}
      </p>
    </div>
  )
}
