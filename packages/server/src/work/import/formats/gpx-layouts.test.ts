/**
 * GPX as programs write it: the layouts of GPSBabel's reference files
 * (https://github.com/GPSBabel/gpsbabel/tree/master/reference), and of reports in public trackers. Each is made up from
 * its description, with other places and times.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importing } from '../../../../testing/imports.ts'

const trial = importing()

type Outcome = {
  accepted: number
  /** Rejected points by reason, and conflicts. */
  out?: Record<string, number>
  /** Other things by kind. */
  omitted?: Record<string, number>
  ignored?: string[]
  complete?: boolean
  notes?: RegExp
}
/** `ident`: as `--ident` gives it. */
type Layout = { name: string; content: string; ident?: string; expected: Outcome }

const place = (element: string, more = '') =>
  `<${element} lat="39.97" lon="-105.46">${more}</${element}>\n`
const wpt = (more = '') => place('wpt', `${more}<name>Yard</name>`)
const rtept = (more = '') => place('rtept', `${more}<name>RPT001</name>`)
const at = (time: string, more = '', coordinates = 'lat="48.5" lon="9.2"') =>
  `<trkpt ${coordinates}><time>${time}</time>${more}</trkpt>\n`
const trk = (name: string | null, ...points: string[]) =>
  `<trk>${name === null ? '' : `<name>${name}</name>`}<trkseg>\n${points.join('')}</trkseg></trk>\n`
const garmin = (values: string) =>
  `<extensions><ns3:TrackPointExtension>${values}</ns3:TrackPointExtension></extensions>`

const [FIRST, SECOND] = ['2023-01-16T18:02:26.000Z', '2023-01-16T18:02:27.000Z']

/** The name is the file's, below `reference`. */
const GPSBABEL: Layout[] = [
  {
    name: 'bigtime.gpx',
    content:
      wpt('<time>1234-12-12T08:00:00.123Z</time>') + wpt('<time>4096-12-12T08:00:00Z</time>'),
    ident: 'G',
    expected: { accepted: 0, omitted: { waypoint: 2 }, complete: false },
  },
  {
    name: 'gpxpassthrough10.gpx',
    content: `${wpt()}<rte><name>Low Road</name><foreign:something>rte</foreign:something>${rtept()}</rte>${trk('meridian', at(FIRST), at(SECOND, '<foreign:something>trkpt</foreign:something>'))}<foreign:something>eof</foreign:something>`,
    expected: { accepted: 2, omitted: { waypoint: 1, route_point: 1 }, ignored: ['something'] },
  },
  {
    name: 'basecamp.gpx',
    content: `${wpt(`<time>${FIRST}</time>`)}<rte>${rtept(`<time>${FIRST}</time>`)}</rte>${trk('Hwy 119', place('trkpt'), place('trkpt'))}`,
    expected: {
      ...{ accepted: 0, out: { missing_field: 2 } },
      ...{ omitted: { waypoint: 1, route_point: 1 }, complete: false },
    },
  },
  {
    name: 'track/garminconnect.gpx',
    content: trk(
      'Boulder Cycling',
      at(
        FIRST,
        garmin('<ns3:atemp>2.0</ns3:atemp><ns3:hr>82</ns3:hr>'),
        'lat="40.18894976936280727386474609375" lon="-105.178360976278781890869140625"',
      ),
    ),
    expected: { accepted: 1, ignored: [] },
  },
  {
    name: 'track/gpx_garmin_extensions.gpx',
    content: wpt(`<time>${FIRST}</time>`) + trk('2008-08-20T07:04:47Z', at(FIRST), at(SECOND)),
    expected: { accepted: 2, omitted: { waypoint: 1 } },
  },
  {
    name: 'track/gpx_subsecond-sample.gpx without --ident',
    content: trk(null, at('2011-07-02T17:47:25.2Z'), at('2011-07-02T17:47:25.4Z')),
    expected: { accepted: 0, out: { missing_field: 2 }, complete: false },
  },
  {
    name: 'track/gpx_subsecond-sample.gpx with --ident',
    content: trk(null, at('2011-07-02T17:47:25.2Z'), at('2011-07-02T17:47:25.4Z')),
    ident: 'G',
    expected: { accepted: 2 },
  },
  {
    name: 'dop-test.gpx',
    content: trk(
      'T',
      at(FIRST, '<hdop>50.5</hdop>'),
      at(SECOND, '<hdop>6.9</hdop><vdop>50.5</vdop>'),
    ),
    expected: {
      ...{ accepted: 1, out: { hdop_above_maximum: 1 } },
      ...{ ignored: ['vdop'], complete: false },
    },
  },
  {
    name: 'track/mtk_logger.gpx',
    content: trk(
      'track-1',
      at(FIRST, '<speed>0</speed><fix>none</fix>'),
      at(SECOND, '<fix>3d</fix><sat>8</sat>'),
    ),
    expected: { accepted: 1, out: { no_fix: 1 }, complete: false },
  },
  {
    name: 'track/kalman_dt_zero_in.gpx',
    content: trk('T', at(FIRST), at(FIRST, '', 'lat="48.6" lon="9.2"'), at(SECOND)),
    expected: { accepted: 2, out: { conflict: 1 }, complete: false },
  },
  {
    name: 'route/bend-input.gpx',
    content: `<rte><name>santander</name>${rtept()}${rtept()}</rte>`,
    ident: 'G',
    expected: { accepted: 0, omitted: { route_point: 2 }, complete: false },
  },
  {
    name: 'track/jogmap-gpx.gpx',
    content: trk(null, place('trkpt'), place('trkpt')),
    ident: 'G',
    expected: { accepted: 0, out: { missing_field: 2 }, complete: false },
  },
  {
    name: 'grapheme.gpx',
    content: `${wpt('<cmt>\ufffdEingen</cmt>')}${trk('Margetshöchheim', at(FIRST))}`,
    expected: { accepted: 1, omitted: { waypoint: 1 } },
  },
  { name: 'empty.gpx', content: '', expected: { accepted: 0, notes: /has no rows; nothing was/ } },
]

/** The name is the tracker's. */
const REPORTED: Layout[] = [
  {
    name: 'Freika/dawarich#3477: OsmAnd’s favourites.gpx has waypoints with times',
    content: wpt(`<time>${FIRST}</time>`),
    ident: 'G',
    expected: { accepted: 0, omitted: { waypoint: 1 }, complete: false },
  },
  {
    name: 'endurain-project/endurain#369: OsmAnd leaves the time out of some points',
    content: trk('T', at(FIRST), place('trkpt', '<ele>15</ele>'), at(SECOND)),
    expected: { accepted: 2, out: { missing_field: 1 }, complete: false },
  },
  {
    name: 'merlos/iOS-Open-GPX-Tracker#324, osmandapp/OsmAnd#8489: several points have one time',
    content: trk('T', at(FIRST), at(FIRST), at(FIRST, '', 'lat="48.6" lon="9.2"')),
    expected: { accepted: 1, out: { duplicate: 1, conflict: 1 }, complete: false },
  },
  {
    name: 'dodo-saba/fit2gpx#15, tumic0/GPXSee#579: the elevation is nan, or empty',
    content: trk('T', at(FIRST, '<ele>nan</ele>'), at(SECOND, '<ele></ele>')),
    expected: { accepted: 2, notes: /ele counts as unknown in 1 position .* line 3\)/ },
  },
  {
    name: 'GoldenCheetah/GoldenCheetah#2913, cgeo/cgeo#17511: coordinates have a decimal comma',
    content: trk('T', at(FIRST, '', 'lat="49,978498886" lon="7,9312479719"')),
    expected: { accepted: 1, notes: /decimal commas, .* line 3: '49,978498886' is 49\.978498886/ },
  },
  {
    name: 'julien-nc/gpxpod#87: nobody declared the prefix',
    content: trk('T', at(FIRST, '<extensions><ql:activity>1</ql:activity></extensions>')),
    expected: { accepted: 1, ignored: [] },
  },
]

async function tryLayout({ content, ident = undefined, expected }: Layout): Promise<void> {
  const given = { name: 't.gpx', format: 'gpx', ident: ident ?? null } as const
  const summary = await trial.positions(`<gpx>\n${content}</gpx>`, given)
  const counts = (of: Record<string, { count: number }>) =>
    Object.fromEntries(Object.entries(of).map(([name, { count }]) => [name, count]))
  const { duplicates: duplicate, conflicts: conflict, reasons } = summary
  const isOne = ([, { count }]: [string, { count: number }]) => count > 0
  const out = Object.fromEntries(Object.entries({ duplicate, conflict, ...reasons }).filter(isOne))
  assert.deepEqual(
    {
      accepted: summary.accepted,
      out: counts(out),
      omitted: counts(summary.omitted),
      complete: summary.complete,
    },
    {
      accepted: expected.accepted,
      out: expected.out ?? {},
      omitted: expected.omitted ?? {},
      complete: expected.complete ?? true,
    },
  )
  if (expected.ignored !== undefined) assert.deepEqual(summary.columns.ignored, expected.ignored)
  assert.match(summary.notes.join('\n'), expected.notes ?? /^$/)
}

describe('A layout of GPSBabel’s reference files', () => {
  for (const layout of GPSBABEL) it(layout.name, () => tryLayout(layout))
})

describe('A layout that people reported', () => {
  for (const layout of REPORTED) it(layout.name, () => tryLayout(layout))
})
