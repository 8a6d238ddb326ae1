import type { Kind } from './kinds.ts'

/** How rows are written as text. */
export type TextFormat<Row> = {
  head: string
  row(row: Row, isFirst: boolean): string
  tail: string
}

/** The API's own rows, one on each line. */
export function ndjson<Row>(): TextFormat<Row> {
  return { head: '', row: (row) => `${JSON.stringify(row)}\n`, tail: '' }
}

/** RFC 7946: one FeatureCollection, with all fields that are not in the geometry as properties. */
export function geojson<Row extends object>(kind: Kind<Row>): TextFormat<Row> {
  const { geometry, inGeometry, properties: fieldsOf = (row: Row) => row } = kind
  return {
    head: '{"type":"FeatureCollection","features":[\n',
    row(row, isFirst) {
      const properties = Object.fromEntries(
        Object.entries(fieldsOf(row)).filter(([name]) => !inGeometry.includes(name)),
      )
      const feature = { type: 'Feature', geometry: geometry(row), properties }
      return `${isFirst ? '' : ',\n'}${JSON.stringify(feature)}`
    },
    tail: '\n]}\n',
  }
}
