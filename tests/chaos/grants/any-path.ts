import fc from 'fast-check'
import { formatInstant } from '../../../packages/server/src/base/domain/time/time.ts'
import { BEGIN, LAST, MINUTE } from './any-world.ts'

const anyOf = (...parts: string[]) => fc.constantFrom(...parts)
const rangeOf = ([from, to]: number[]) => `from_time=${instant(from!)}&to_time=${instant(to!)}`
const anyRange = fc
  .tuple(fc.nat(LAST), fc.nat(LAST))
  .map(([a, b]) => rangeOf([Math.min(a, b), Math.max(a, b)]))
const INCLUDED = '&include=exact,quality,attributes'
export const anyPath = fc.oneof(
  fc
    .tuple(anyOf('1', '2', '3'), anyRange, anyOf('', '&step=600', '&step=3600', '&limit=7'))
    .map(([id, range, step]) => `/objects/${id}/positions?${range}${step}${INCLUDED}`),
  fc
    .tuple(anyRange, anyOf('', '&step=900', '&limit=9', '&limit=5&step=300'))
    .chain(([range, more]) =>
      anyOf('json', 'csv', 'geojson', 'ndjson', 'xlsx').map(
        (format) => `/positions?ids=all&${range}${more}${INCLUDED}&format=${format}`,
      ),
    ),
  anyRange.chain((range) =>
    anyOf('gpx', 'kml').map((format) => `/positions?ids=all&${range}&format=${format}`),
  ),
  anyOf('json', 'csv').map((format) => `/positions/latest?ids=all${INCLUDED}&format=${format}`),
  fc.nat(LAST).map((minute) => `/positions/at?ids=all&time=${instant(minute)}${INCLUDED}`),
  anyOf('/objects', '/objects/1?include=attributes', '/objects/3', '/attributes', '/usage', '/key'),
  fc
    .tuple(
      anyOf('trips', 'stops', 'visits', 'levels'),
      anyRange,
      anyOf('', '&limit=2', '&format=ndjson', '&format=geojson'),
    )
    .map(([type, range, more]) => {
      const attributes = type === 'trips' || type === 'stops' ? '&include=attributes' : ''
      return `/${type}?${range}${attributes}${more}`
    }),
  anyOf(
    '',
    '&by=driver',
    '&include=attributes',
    '&tz=Asia/Tokyo&include=attributes',
    '&limit=1',
  ).map((more) => `/days?from_date=2026-11-19&to_date=2026-11-21${more}`),
  fc.constant('/coverage?from_date=2026-11-19&to_date=2026-11-21'),
  fc
    .tuple(anyOf('1', '2'), anyRange)
    .map(([object, range]) => `/routes/1/adherence?object=${object}&${range}`),
  anyOf('history', 'snapshot').chain((from) =>
    anyOf('&types=objects,positions,states,geofences,routes', '&types=trips,stops,visits').map(
      (types) =>
        `/changes?from=${from}&limit=10000${types}${types.includes('trips') ? '' : INCLUDED.replace('quality,', '')}`,
    ),
  ),
)

function instant(minute: number): string {
  return formatInstant(BEGIN + minute * MINUTE)
}

/** A follower asks these first, and continues from there. */
export const CHANGES = [
  '/changes?from=history&limit=10000&types=objects,positions,states&include=exact,attributes',
  '/changes?from=history&limit=10000&types=trips,stops,visits',
]

const long = fc.tuple(fc.integer({ min: 0, max: LAST / 2 }), fc.constant(2 * LAST)).map(rangeOf)
export const anyLevels = long.map((range) => `/levels?${range}`)
export const LEVELS = ['/changes?from=history&limit=10000&types=levels']
