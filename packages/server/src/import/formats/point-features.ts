import { SENT } from '../../domain/position/field-lists.ts'
import { sentValue } from '../../domain/position/sent-value.ts'
import { ImportMisuse, omittedRow, type Remarks, type Row } from '../row.ts'
import { attributePicker, withAttributes } from './attribute-columns.ts'
import { SPEED_UNITS, type SpeedUnit } from './cells.ts'
import { candidatesOf, checkMapping, type Layout } from './columns.ts'
import { rowOf } from './geojson-rows.ts'
import { type Members, membersOf } from './google-rows.ts'
import type { JsonElement } from './json-splitter.ts'
import { unreadNumbers } from './known-cells.ts'
import { columnBinder, flatten } from './ndjson-rows.ts'

/** The caller's unit of speed, or null for that of the file, and km in a unit of the file's odometer. */
export type Units = { speedUnit: SpeedUnit | null; distance: number }

/**
 * Reads GeoJSON Features with a Point: the columns are their properties, and `latitude`, `longitude` and `altitude` of
 * the point. Speeds are metres per second, as phones write them, unless the properties are those of Fleetgate's own
 * answers.
 */
export function pointFeatures(name: string, layout: Layout, units: Units, remarks: Remarks) {
  const fields = withAttributes(layout.fields, layout.mapping)
  const bind = columnBinder({ ...layout, fields }, remarks)
  const attributesIn = attributePicker(fields)
  const unread = unreadNumbers(remarks)
  const numbers = SENT.map((sent) => ({
    ...sent,
    field: sent.name,
    factor: sent.unit === 'km' ? units.distance : 1,
    unknownBelowZero: sent.minimum >= 0,
  }))
  const indexes = new Map(layout.fields.map((field, at) => [field.name, at]))
  let isFirst = true
  let isFirstPoint = true

  function checkPoint(columns: readonly string[]): void {
    isFirstPoint = false
    checkMapping(layout.mapping, columns, name)
    const ident = layout.fields[indexes.get('ident')!]!
    if (candidatesOf(ident, columns, layout.mapping).length === 0) requireIdent(layout, name, true)
  }

  /** Replaces the numbers by those in the units of `Fix`, and those that cannot be read by nothing. */
  function readNumbers(cells: unknown[], speedUnit: SpeedUnit, line: number): void {
    for (const number of numbers) {
      const at = indexes.get(number.name)!
      const isSpeed = number.key === 'speed'
      const sent = isSpeed ? { ...number, factor: SPEED_UNITS[speedUnit] } : number
      const value = sentValue(cells[at], sent)
      if (value === undefined) unread.add(number.name, line)
      cells[at] = value
    }
  }

  return {
    rowOf(element: JsonElement, feature: Members): Row {
      const { type, coordinates } = membersOf(feature.geometry)
      const isPoint = type === 'Point' || type === undefined
      const columns = flatten(membersOf(feature.properties), '', new Map())
      if (isPoint) addPoint(columns, coordinates)
      else columns.set('geometry', feature.geometry)
      if (isFirst) layout.refuseOtherKind([...columns.keys()], name)
      isFirst = false
      if (!isPoint) return omitted(element, String(type))
      if (isFirstPoint) checkPoint([...columns.keys()])
      const cells = bind(columns)
      const ownUnit = columns.has('time_device') ? 'kmh' : 'mps'
      readNumbers(cells, units.speedUnit ?? ownUnit, element.line)
      return {
        ...rowOf(element, cells),
        attributes: attributesIn(cells),
        isInFixUnits: true,
      }
    },
    finish: unread.finish,
  }
}

function omitted(element: JsonElement, type: string): Row {
  const { line, text } = element
  const thing = type.slice(0, 40).replace(/\B[A-Z]/g, (letter) => `_${letter}`)
  const detail = 'its coordinates have no times'
  return omittedRow(line, text.slice(0, 1_000), thing.toLowerCase(), detail)
}

/** Adds the coordinates of a point. A property of the same name stays. */
function addPoint(columns: Map<string, unknown>, coordinates: unknown): void {
  const [longitude, latitude, altitude] = Array.isArray(coordinates) ? coordinates : []
  for (const [column, value] of Object.entries({ latitude, longitude, altitude })) {
    if (value !== undefined && !columns.has(column)) columns.set(column, value)
  }
}

/** Throws `ImportMisuse` if each position needs an ident and none has one. */
export function requireIdent(layout: Layout, name: string, hasProperties: boolean): void {
  if (!layout.required.includes('ident')) return
  const advice = hasProperties ? ', or --map ident=PROPERTY' : ''
  throw new ImportMisuse(`'${name}' does not say whose positions it has; give --ident${advice}`)
}
