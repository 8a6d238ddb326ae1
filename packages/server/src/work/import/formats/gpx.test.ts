import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { importing } from '../../../../testing/imports.ts'
import type { PositionOptions } from '../import-positions.ts'

const trial = importing()

type Content = string | Buffer
type Given = Partial<PositionOptions> & { name?: string; chunk?: number }

const run = (content: Content, given: Given = {}) =>
  trial.positions(content, { name: 't.gpx', format: 'gpx', ...given })

/** The idents of the organization's objects. */
async function idents(): Promise<string[]> {
  const objects = await trial.store.objects.list(trial.organization.id)
  return objects.map(({ ident }) => ident)
}

const point = (minute: number, more = '') =>
  `<trkpt lat="48.0${minute}" lon="11"><time>2025-11-20T10:0${minute}:00Z</time>${more}</trkpt>\n`
const track = (name: string, ...points: string[]) =>
  `<trk><name>${name}</name><trkseg>\n${points.join('')}</trkseg></trk>\n`
const gpx = (content: string, declaration = '<?xml version="1.0"?>') =>
  `${declaration}\n<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">\n${content}</gpx>\n`

describe('A GPX file', () => {
  it('has positions in its tracks alone: waypoints, routes and empty tracks are left out', async () => {
    const place = (element: string) =>
      `<${element} lat="47" lon="12"><ele>500</ele><time>2025-11-20T10:05:30Z</time><name>Yard</name></${element}>\n`
    const content = `${place('wpt')}<rte><name>Plan</name>\n${place('rtept')}${place('rtept')}</rte>\n`
    const summary = await run(
      gpx(`${content}<trk><name>none</name></trk>\n${track('T', point(1))}`),
    )
    assert.equal(summary.complete, true)
    assert.equal(summary.accepted, 1)
    const omitted = Object.entries(summary.omitted).map(([thing, { count, first }]) => {
      return [thing, count, first[0]!.line]
    })
    assert.deepEqual(omitted, [
      ['waypoint', 1, 3],
      ['route_point', 2, 5],
      ['empty_track', 1, 8],
    ])
    assert.equal((await run(gpx(content))).complete, false)
  })

  it('names the elements of points that fill no field', async () => {
    const more =
      '<fix>3d</fix><vdop>1</vdop><sat>7</sat><extensions><a:TrackPointExtension><a:hr>61</a:hr><a:speed>5</a:speed></a:TrackPointExtension></extensions>'
    const waypoint = '<wpt lat="1" lon="2"><sym>Flag</sym></wpt>'
    const { columns } = await run(gpx(waypoint + track('T', point(1, more), point(2, more))))
    assert.deepEqual(columns.ignored, ['vdop'])
  })
})

describe('The encoding of a GPX file', () => {
  const text = (encoding: string) =>
    gpx(track('Düsseldorf', point(1)), `<?xml version="1.0" encoding='${encoding}'?>`)
  const marked = `\ufeff${text('UTF-16')}`

  for (const [what, content] of [
    ['UTF-8', text('UTF-8')],
    ['ISO-8859-1', Buffer.from(text('ISO-8859-1'), 'latin1')],
    ['windows-1252', Buffer.from(text('windows-1252'), 'latin1')],
    ['UTF-16, little-endian', Buffer.from(marked, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(marked, 'utf16le').swap16()],
    ['UTF-8 by its mark, whatever it declares', `\ufeff${text('ISO-8859-1')}`],
  ] as const) {
    it(`is honoured: ${what}`, async () => {
      for (const chunk of [1, 64, 1 << 16])
        assert.equal((await run(content, { chunk })).rejected, 0)
      assert.deepEqual(await idents(), ['Düsseldorf'])
      const packed = await run(gzipSync(content), { name: 't.gpx.gz' })
      assert.equal(packed.duplicate, 1)
    })
  }

  it('is refused by name if it is not known', async () => {
    const { stopped, read } = await run(text('x-mac-klingon'))
    assert.match(
      stopped!,
      /'t.gpx' declares the encoding 'x-mac-klingon', which is not supported; save/,
    )
    assert.equal(read, 0)
  })

  it('makes no ident if it is another than the declared one', async () => {
    const broken = Buffer.from(
      gpx(track('Düsseldorf', point(1)) + track('Ulm', point(2))),
      'latin1',
    )
    const { reasons, accepted, complete } = await run(broken)
    assert.deepEqual([reasons.bad_encoding!.count, accepted, complete], [1, 1, false])
    const { line, detail } = reasons.bad_encoding!.first[0]!
    assert.equal(line, 4)
    assert.match(detail, /ident 'D.sseldorf' has lost characters/)
    assert.deepEqual(await idents(), ['Ulm'])
    assert.equal((await run(broken, { ident: 'G1' })).rejected, 0)
  })
})

describe('GPX that is not well-formed', () => {
  it('is read up to the fault, with its line, and is not complete', async () => {
    const cases: [fault: string, message: RegExp][] = [
      [
        '<trk><name>Tom & Jerry</name></trk>',
        /line 6, column 16: an '&' is written as &amp; in XML/,
      ],
      ['<trk><name>AT&T</name></trk>', /line 6, column 14: an '&'/],
      ['<trk><name>a&nbsp;b</name></trk>', /line 6, column \d+: undefined entity/],
      ['<trk><name>a < b</name></trk>', /line 6, column \d+: /],
      ['</trk>', /line 6, column \d+: /],
    ]
    for (const [fault, message] of cases) {
      await trial.useNew()
      const later = `${fault}\n${track('Later', point(2))}`
      for (const chunk of [1, 1 << 16]) {
        const summary = await run(gpx(track('T', point(1)) + later), { chunk })
        assert.match(summary.stopped!, message)
        assert.match(summary.stopped!, /'t.gpx' is not well-formed XML.* The rest was not read/)
        assert.deepEqual([summary.read, summary.complete], [1, false])
      }
      assert.deepEqual(await idents(), ['T'])
    }
  })

  it('is not one with references, comments, CDATA or prefixes that nobody declared', async () => {
    const names = [
      'Tom &amp; &#74;&#x65;rry',
      '<![CDATA[Tom & Jerry]]>',
      'Tom &amp;<!-- R&D --> Jerry',
    ]
    for (const name of names) {
      const content = `<?target a&b?><!-- <trk> & --><x:y><![CDATA[ & ]]></x:y>${track(name, point(1))}`
      for (const chunk of [1, 7, 1 << 16])
        assert.equal((await run(gpx(content), { chunk })).rejected, 0)
    }
    assert.deepEqual(await idents(), ['Tom & Jerry'])
  })

  it('keeps its whole points if it ends early, and says where', async () => {
    const whole = gpx(track('T', point(1), point(2)))
    for (const [end, within, read] of [
      [whole.indexOf('10:02'), 'time', 2],
      [whole.indexOf('</trkseg>'), 'trkseg', 2],
      [whole.indexOf('</gpx>') + 3, 'gpx', 2],
    ] as const) {
      const summary = await run(whole.slice(0, end))
      assert.match(
        summary.stopped!,
        new RegExp(`'t.gpx' ends early, in line \\d+ within <${within}>`),
      )
      assert.deepEqual([summary.read, summary.truncated, summary.complete], [read, true, false])
    }
    for (const begin of ['', '<?xml version="1.0"?>', '<?xml version="1.0"?>\n<gpx ver']) {
      assert.match((await run(begin)).stopped!, /is empty, or cut off before <gpx>|not well-formed/)
    }
  })
})
