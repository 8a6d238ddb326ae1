import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS, NAMES, WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import { nextOf } from '../harness/pages.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet()

/** Requests for everything, in several formats. Each line has its own organization, for its window. */
const ATTEMPTS = [
  [
    ...['/objects?q=Kamyon', `/objects?ident=${IDENTS.truck}`, '/objects?format=csv', '/usage'],
    ...['/positions/latest?ids=all', '/positions/at?ids=all&time=2030-01-01&include=quality'],
    ...['/positions/latest?ids=all&bbox=-180,-90,180,90', '/positions/latest?ids=all&format=kml'],
  ],
  [
    ...['/changes?from=history', '/changes?types=positions,states&from=history&include=exact'],
    ...[`/trips?${WHOLE_RANGE}&format=csv`, `/stops?${WHOLE_RANGE}`, `/visits?${WHOLE_RANGE}`],
    ...[`/days?${WHOLE_DAYS}`, `/coverage?${WHOLE_DAYS}`],
  ],
]

for (const [index, paths] of ATTEMPTS.entries()) {
  describe(`A key with a scope of one object, attempt ${index + 1}`, async () => {
    const organization = fleet.take()
    const { van, ...others } = organization.objects
    const caller = await scoped(fleet, organization, '--objects', `${van}`)
    const hidden = [
      ...Object.values(others).map((id) => `\\b${id}\\b`),
      ...(['truck', 'longHaul', 'silent'] as const).flatMap((name) => [IDENTS[name], NAMES[name]]),
    ]

    for (const path of paths) {
      it(`hears of no other: GET ${path}`, async () => {
        const { status, headers, text } = await caller.get(path)
        assert.equal(status, 200)
        assert.doesNotMatch(text + JSON.stringify(headers), new RegExp(hidden.join('|')))
      })
    }
  })
}

describe('A key that shows positions up to a moment', async () => {
  const organization = fleet.take()
  const { van } = organization.objects
  const caller = await scoped(fleet, organization, '--data-until', '2024-05-06T08:03:00Z')
  const history = `/objects/${van}/positions?${WHOLE_RANGE}`

  for (const path of [
    ...[`/objects/${van}`, '/objects', '/positions/at?ids=all&time=2030-01-01&include=quality'],
    ...['/changes?from=history&types=positions,states', '/positions/latest?ids=all&format=kml'],
    ...[`${history}&format=gpx`, `/positions?ids=${van}&${WHOLE_RANGE}&step=60`],
  ]) {
    it(`hears of no later time: GET ${path}`, async () => {
      const { status, text } = await caller.get(path)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /2024-05-06T(08:(0[4-9]|[1-5])|09)/)
    })
  }

  it('gets nothing by a cursor of another key that lies behind it', async () => {
    const next = nextOf(await organization.get(`${history}&limit=6`))!
    const { status, json } = await caller.get(next)
    assert.deepEqual([status, json.result], [200, []])
  })
})
