/** What the API says of a fleet at a moment, as far as the picture shows it. */
export type FleetMap = {
  at: Date
  vehicles: Vehicle[]
  geofences: { name: string; color: string; coordinates: LonLat[] }[]
  routes: { name: string; color: string; coordinates: LonLat[][] }[]
  sites: { name: string; latitude: number; longitude: number; radius: number }[]
}

/** A vehicle and its positions up to the moment, in the order of time; none where it never reported. */
export type Vehicle = {
  name: string
  track: { latitude: number; longitude: number; angle: number; speed: number }[]
}

type LonLat = [number, number]
type Point = { x: number; y: number }
type Box = { left: number; top: number; right: number; bottom: number }
type Projection = { place(longitude: number, latitude: number): Point; pixelsPerMetre: number }

const WIDTH = 1180
const HEIGHT = 888
const MAP = { left: 28, top: 84, width: 1124, height: 640 }
const MARGIN = 30
const LEGEND = { top: 756, columns: 5, rows: 5, rowHeight: 23.5 }
const METRES_PER_DEGREE = 111_195
/** Where north is, clockwise from up: as maps of Barcelona have it, with the sea below. */
const NORTH = 45

/** The whole picture: a card of its own ground, so that it reads on a dark page as on a light one. */
export function mapSvg(fleet: FleetMap): string {
  const projection = projectionOf(fleet)
  const colors = fleet.vehicles.map((_, index) => colorOf(index, fleet.vehicles.length))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif">
<title>The demo fleet on ${escaped(dayOf(fleet.at))}</title>
<rect width="${WIDTH}" height="${HEIGHT}" rx="18" fill="#f8faf9"/>
<rect x="${MAP.left}" y="${MAP.top}" width="${MAP.width}" height="${MAP.height}" rx="10" fill="#eef3f1"/>
${heading(fleet)}
<clipPath id="map"><rect x="${MAP.left}" y="${MAP.top}" width="${MAP.width}" height="${MAP.height}" rx="10"/></clipPath>
<g clip-path="url(#map)">
${geofences(fleet, projection)}
${routes(fleet, projection)}
${tracks(fleet, projection, colors)}
${sites(fleet, projection)}
${markers(fleet, projection, colors)}
${labels(fleet, projection)}
</g>
${scaleBar(projection)}
${northArrow()}
${shapes()}
${legend(fleet, colors)}
</svg>
`
}

function heading({ at, vehicles }: FleetMap): string {
  const rows = vehicles.reduce((sum, { track }) => sum + track.length, 0)
  return `<text x="28" y="44" font-size="25" font-weight="650" fill="#12211d">A day of the demo fleet</text>
<text x="28" y="68" font-size="14.5" fill="#5b6b66">${escaped(dayOf(at))}, 00:00 to ${at.toISOString().slice(11, 16)} UTC: ${rows.toLocaleString('en')} positions, as the API answers them</text>`
}

function geofences({ geofences }: FleetMap, { place }: Projection): string {
  return geofences
    .map(({ color, coordinates }) => {
      const ring = coordinates.map(([longitude, latitude]) => place(longitude, latitude))
      return `<path d="${line(ring)}Z" fill="${color}" fill-opacity=".08" stroke="${color}" stroke-opacity=".6" stroke-width="1.3" stroke-linejoin="round"/>`
    })
    .join('\n')
}

function routes({ routes }: FleetMap, { place }: Projection): string {
  const paths = routes.flatMap(({ color, coordinates }) =>
    coordinates.map((part) => {
      const points = part.map(([longitude, latitude]) => place(longitude, latitude))
      return `<path d="${line(simplified(points))}" stroke="${color}"/>`
    }),
  )
  return `<g fill="none" stroke-width="7" stroke-opacity=".13" stroke-linejoin="round" stroke-linecap="round">
${paths.join('\n')}
</g>`
}

/** Side by side, a few pixels apart: most of them share the same few streets. */
function tracks({ vehicles }: FleetMap, { place }: Projection, colors: string[]): string {
  const paths = vehicles.map(({ track }, index) => {
    const aside = (index / vehicles.length - 0.5) * 5
    const points = track.map(({ longitude, latitude }) => {
      const { x, y } = place(longitude, latitude)
      return { x: x + aside, y }
    })
    return points.length < 2
      ? ''
      : `<path d="${line(simplified(points))}" stroke="${colors[index]}"/>`
  })
  return `<g fill="none" stroke-width="1.5" stroke-opacity=".75" stroke-linejoin="round" stroke-linecap="round">
${paths.filter((path) => path !== '').join('\n')}
</g>`
}

function sites({ sites }: FleetMap, projection: Projection): string {
  return sites
    .map((site) => {
      const { x, y } = projection.place(site.longitude, site.latitude)
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radiusOf(site, projection).toFixed(1)}" fill="#fff" fill-opacity=".8" stroke="#22312d" stroke-width="1.3"/>`
    })
    .join('\n')
}

/** In pixels; the smallest would be no more than dots. */
function radiusOf({ radius }: { radius: number }, { pixelsPerMetre }: Projection): number {
  return Math.max(4, radius * pixelsPerMetre)
}

function markers({ vehicles }: FleetMap, { place }: Projection, colors: string[]): string {
  return vehicles
    .map(({ track }, index) => {
      const last = track.at(-1)
      if (last === undefined) return ''
      const { x, y } = place(last.longitude, last.latitude)
      const drawn = symbol(colors[index]!, last.speed, last.angle + NORTH)
      return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)})">${drawn}</g>`
    })
    .filter((marker) => marker !== '')
    .join('\n')
}

/** An arrow in the direction of travel; who stands is a dot. */
function symbol(color: string, speed: number, degrees: number): string {
  return speed > 0
    ? `<path transform="rotate(${degrees})" d="M0 -10 7 8 0 4.2 -7 8Z" fill="${color}" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/>`
    : `<circle r="5" fill="${color}" stroke="#fff" stroke-width="1.6"/>`
}

function legend({ vehicles }: FleetMap, colors: string[]): string {
  const columnWidth = (MAP.width + 30) / LEGEND.columns
  const entries = vehicles.map(({ name, track }, index) => {
    const x = MAP.left + Math.floor(index / LEGEND.rows) * columnWidth
    const y = LEGEND.top + (index % LEGEND.rows) * LEGEND.rowHeight
    const last = track.at(-1)
    const mark =
      last === undefined
        ? '<circle r="4.2" fill="none" stroke="#9aa8a3" stroke-width="1.4"/>'
        : symbol(colors[index]!, last.speed, 90)
    return `<g transform="translate(${x + 8} ${y - 4.5}) scale(.85)">${mark}</g>
<text x="${x + 24}" y="${y}" fill="#22312d">${escaped(name)}</text>
<text x="${x + columnWidth - 30}" y="${y}" fill="#5b6b66" text-anchor="end">${stateOf(last)}</text>`
  })
  return `<g font-size="13">
${entries.join('\n')}
</g>`
}

function stateOf(last: { speed: number } | undefined): string {
  if (last === undefined) return 'no position'
  return last.speed > 0 ? `${Math.round(last.speed)} km/h` : ''
}

/** What the shapes stand for, in a corner of the map. */
function shapes(): string {
  const lines = [
    ['on its way', symbol('#22312d', 1, 90)],
    ['standing', symbol('#22312d', 0, 0)],
    ['track of the day', '<path d="M-9 0h18" stroke="#22312d" stroke-width="1.5"/>'],
    ['planned route', '<path d="M-9 0h18" stroke="#1d4ed8" stroke-opacity=".2" stroke-width="7"/>'],
    [
      'geofence',
      '<path d="M-9 -6h18v12h-18Z" fill="#8b5cf6" fill-opacity=".14" stroke="#8b5cf6"/>',
    ],
    ['site', '<circle r="5" fill="#fff" stroke="#22312d" stroke-width="1.3"/>'],
  ]
  const rows = lines.map(
    ([name, drawn], index) =>
      `<g transform="translate(0 ${index * 21})">${drawn}<text x="18" y="4.5">${name}</text></g>`,
  )
  return `<g transform="translate(${MAP.left + MAP.width - 128} ${MAP.top + MAP.height - 124})" font-size="12.5" fill="#22312d">
${rows.join('\n')}
</g>`
}

function scaleBar({ pixelsPerMetre }: Projection): string {
  const length = 1_000 * pixelsPerMetre
  const x = MAP.left + 18
  const y = MAP.top + MAP.height - 18
  return `<path d="M${x} ${y - 5}v5h${length.toFixed(1)}v-5" fill="none" stroke="#5b6b66" stroke-width="1.3"/>
<text x="${(x + length / 2).toFixed(1)}" y="${y - 6}" font-size="11.5" fill="#5b6b66" text-anchor="middle">1 km</text>`
}

function northArrow(): string {
  return `<g transform="translate(${MAP.left + MAP.width - 40} ${MAP.top + 44})">
<path transform="rotate(${NORTH})" d="M0 -15 6 6 0 2 -6 6Z" fill="#5b6b66"/>
<text x="17" y="-12" font-size="12" fill="#5b6b66" text-anchor="middle">N</text>
</g>`
}

/** The names of zones and sites, wherever one still finds room beside its place. */
function labels({ geofences, sites }: FleetMap, projection: Projection): string {
  const taken: Box[] = []
  const put = (text: string, color: string, size: number, places: Point[]): string => {
    for (const { x, y } of places) {
      const half = text.length * size * 0.29
      const box = { left: x - half, top: y - size, right: x + half, bottom: y + 2 }
      if (taken.some((other) => overlap(box, other))) continue
      taken.push(box)
      return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="${color}">${escaped(text)}</text>`
    }
    return ''
  }
  const zones = geofences.map(({ name, color, coordinates }) => {
    const ring = coordinates.map(([longitude, latitude]) => projection.place(longitude, latitude))
    const [left, right] = extent(ring.map(({ x }) => x))
    const [top, bottom] = extent(ring.map(({ y }) => y))
    const x = (left + right) / 2
    return put(name, darker(color), 12, [
      { x, y: top - 6 },
      { x, y: bottom + 15 },
    ])
  })
  const points = sites.map((site) => {
    const { x, y } = projection.place(site.longitude, site.latitude)
    const radius = radiusOf(site, projection)
    const beside = radius + site.name.length * 2.9 + 5
    return put(site.name, '#22312d', 10, [
      { x, y: y + radius + 11 },
      { x, y: y - radius - 4 },
      { x: x + beside, y: y + 3.5 },
      { x: x - beside, y: y + 3.5 },
    ])
  })
  return `<g text-anchor="middle" stroke="#f4f7f6" stroke-width="3" stroke-linejoin="round" paint-order="stroke">
${[...zones, ...points].filter((label) => label !== '').join('\n')}
</g>`
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/** Places are near each other: a plane is as good as any map projection. It is turned by `NORTH`. */
function projectionOf({ vehicles, geofences, sites }: FleetMap): Projection {
  const places = [
    ...geofences.flatMap(({ coordinates }) => coordinates),
    ...sites.map(({ longitude, latitude }): LonLat => [longitude, latitude]),
    ...vehicles.flatMap(({ track }) =>
      track.map(({ longitude, latitude }): LonLat => [longitude, latitude]),
    ),
  ]
  const shrink = Math.cos((places[0]![1] * Math.PI) / 180)
  const [cos, sin] = [Math.cos((NORTH * Math.PI) / 180), Math.sin((NORTH * Math.PI) / 180)]
  const turned = (longitude: number, latitude: number): Point => ({
    x: longitude * shrink * cos + latitude * sin,
    y: longitude * shrink * sin - latitude * cos,
  })
  const points = places.map(([longitude, latitude]) => turned(longitude, latitude))
  const [left, right] = extent(points.map(({ x }) => x))
  const [top, bottom] = extent(points.map(({ y }) => y))
  const scale = Math.min(
    (MAP.width - 2 * MARGIN) / (right - left),
    (MAP.height - 2 * MARGIN) / (bottom - top),
  )
  return {
    place(longitude, latitude) {
      const { x, y } = turned(longitude, latitude)
      return {
        x: MAP.left + MAP.width / 2 + (x - (left + right) / 2) * scale,
        y: MAP.top + MAP.height / 2 + (y - (top + bottom) / 2) * scale,
      }
    },
    pixelsPerMetre: scale / METRES_PER_DEGREE,
  }
}

/** Not `Math.min(...)`: a day has more positions than a call may have arguments. */
function extent(values: number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  )
}

const TOLERANCE_PIXELS = 0.35

/** Ramer, Douglas and Peucker's: leaves out what a line passes by less than can be seen. */
function simplified(points: Point[]): Point[] {
  const kept = new Set([0, points.length - 1])
  const spans: [number, number][] = [[0, points.length - 1]]
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const [first, last] = span
    let farthest = first
    let most = TOLERANCE_PIXELS
    for (let index = first + 1; index < last; index++) {
      const aside = distanceToSegment(points[index]!, points[first]!, points[last]!)
      if (aside > most) [farthest, most] = [index, aside]
    }
    if (farthest === first) continue
    kept.add(farthest)
    spans.push([first, farthest], [farthest, last])
  }
  return points.filter((_, index) => kept.has(index))
}

function distanceToSegment({ x, y }: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const squared = dx * dx + dy * dy
  const along = squared === 0 ? 0 : ((x - a.x) * dx + (y - a.y) * dy) / squared
  const t = Math.min(1, Math.max(0, along))
  return Math.hypot(x - a.x - t * dx, y - a.y - t * dy)
}

function line(points: Point[]): string {
  return points
    .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('')
}

/** Hues all around, those of neighbours far apart. */
function colorOf(index: number, count: number): string {
  const hue = Math.round((((index * 7) % count) * 360) / count)
  return `hsl(${hue} ${index % 2 === 0 ? '68% 42%' : '58% 52%'})`
}

/** For text in the color of an area. */
function darker(hex: string): string {
  const channels = [1, 3, 5].map((at) =>
    Math.round(Number.parseInt(hex.slice(at, at + 2), 16) * 0.72),
  )
  return `rgb(${channels.join(' ')})`
}

function dayOf(at: Date): string {
  return at.toLocaleDateString('en', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
