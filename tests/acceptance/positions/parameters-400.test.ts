import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'

const fleet = await startFleet()

/** A query, the words of its refusal, and the code if it is not that of most parameters. */
type Case = [query: string, named: RegExp, code?: string]

const MANY_IDS = `ids=${Array.from({ length: 1001 }, (_, i) => i + 1).join()}`
const AT = 'ids=1&time=2026-02-03'
const RANGE = `ids=1&${WHOLE_RANGE}`

const HISTORY: Case[] = [
  ['', /From Time is required/],
  ['to_time=2024-05-06', /From Time is required/],
  ['from_time=2024-05-06', /To Time is required/, 'PUBLIC.400_002'],
  ['from_time=x&to_time=2024-05-06', /from_time/],
  ['from_time=2024-05-06&to_time=x', /to_time/],
  ['from_time=2024-05-07&to_time=2024-05-06', /from_time/],
  [`${WHOLE_RANGE}&from%5Ftime=2024-05-06`, /from_time/],
  [`${WHOLE_RANGE}&limit=0`, /limit/],
  [`${WHOLE_RANGE}&limit=x`, /limit/],
  [`${WHOLE_RANGE}&cursor=x`, /cursor/i],
]

const OF_AT: Case[] = [
  ...['', 'ids=1', 'ids=1&time=', 'ids=1&time=now', 'ids=1&time=2026-02-30'].map(
    (query): Case => [query, /time/],
  ),
  [`${AT}&time=2026-02-03`, /time/],
  ['time=2026-02-03', /ids/],
  ['time=2026-02-03&ids=a', /ids/],
  ['time=2026-02-03&ids=all,1', /ids/],
  [`time=2026-02-03&${MANY_IDS}`, /ids/],
  [`${AT}&skip_exhausted=1`, /skip_exhausted/],
  [`${AT}&include=speed`, /include/],
]

const OF_THE_FLEET: Case[] = [
  ['ids=1&to_time=2026-01-01', /from_time/],
  ['ids=1&from_time=2026-01-01', /to_time/, 'PUBLIC.400_002'],
  ['ids=1&from_time=x&to_time=2026-01-01', /from_time/],
  ['ids=1&from_time=2026-01-02&to_time=2026-01-01', /from_time/],
  [WHOLE_RANGE, /ids/],
  [`ids=all,1&${WHOLE_RANGE}`, /ids/],
  [`ids=1;2&${WHOLE_RANGE}`, /ids/],
  [`${RANGE}&limit=0`, /limit/],
  [`${RANGE}&limit=10001`, /limit/],
  ...['step=0', 'step=86401', 'step=1.5', 'step=60&step=60'].map(
    (step): Case => [`${RANGE}&${step}`, /step/],
  ),
  [`${RANGE}&include=all`, /include/],
  [`${RANGE}&cursor=`, /cursor/],
  [`${RANGE}&cursor=abcd`, /cursor/],
]

const LATEST: Case[] = [
  ...[
    ...['', 'ids=', 'ids=%20', 'ids=,', 'ids=1,', 'ids=,1', 'ids=1,,2', 'ids=a', 'ids=1;2'],
    ...['ids=1.5', 'ids=-1', 'ids=1%202', 'ids=0x1', 'ids=1e3', 'ids=%00', 'ids=&ids='],
    ...['ids=1&ids=', 'ids=1&ids=a', 'ids[]=', 'ids[]=1,', 'ids[0]=1', 'ids=1&ids[]=x', MANY_IDS],
    ...['max_age=5', 'ids=all,1'],
  ].map((query): Case => [query, /ids/]),
  ...[
    ...['bbox=', 'bbox=1,2,3', 'bbox=1,2,3,4,5', 'bbox=a,2,3,4', 'bbox=1,2,,4', 'bbox=1e1,2,3,4'],
    ...['bbox=-181,2,3,4', 'bbox=1,2,181,4', 'bbox=1,-91,3,4', 'bbox=1,2,3,91', 'bbox=1,5,3,4'],
    'bbox=1,2,3,4&bbox=1,2,3,4',
  ].map((query): Case => [query, /bbox/]),
  ...['-1', '1.5', 'x', '315360001'].map((age): Case => [`ids=all&max_age=${age}`, /max_age/]),
  ['ids=all&skip_exhausted=yes', /skip_exhausted/],
  ['ids=1&include=speed', /include/],
  ['ids=1&include=exact,all', /include/],
]

refused('GET /objects/{id}/positions with a wrong parameter: 400', HISTORY)
refused('GET /positions/at with a wrong parameter: 400', OF_AT)
refused('GET /positions with a wrong parameter: 400', OF_THE_FLEET)
refused('GET /positions/latest with a wrong parameter: 400', LATEST)

/** `name` begins with the method and the path. */
function refused(name: string, cases: readonly Case[]): void {
  const path = name.split(' ')[1]!
  describe(name, () => {
    for (const [query, named, code = 'PUBLIC.400_001'] of cases) {
      it(`refuses ?${query.slice(0, 80)}`, async () => {
        const target = ({ objects }: { objects: { van: number } }) =>
          `${path.replace('{id}', String(objects.van))}?${query}`
        assertRefused(await fleet.ask(target), 400, code, named)
      })
    }
  })
}

describe('Requests: order of parameter checks', () => {
  it('begins with the id', async () => {
    const answer = await fleet.ask(() => '/objects/abc/positions?limit=0')
    assertRefused(answer, 400, 'PUBLIC.400_001', /^id /)
  })
})

it('GET /positions with the cursor of other ids, another range or another step: 400', async () => {
  const organization = fleet.take()
  const { van, truck } = organization.objects
  const first = await organization.get(`/positions?ids=${van},${truck}&limit=2&${WHOLE_RANGE}`)
  const link = /<([^>]+)>/.exec(String(first.headers.link))![1]!
  const cursor = new URL(link, 'http://x').searchParams.get('cursor')
  for (const query of [
    `ids=${truck},${van}&${WHOLE_RANGE}`,
    `ids=${van},${truck}&from_time=2024-05-05&to_time=2024-05-06`,
    `ids=${van},${truck}&${WHOLE_RANGE}&step=60`,
  ]) {
    const answer = await organization.get(`/positions?${query}&cursor=${cursor}`)
    assertRefused(answer, 400, 'PUBLIC.400_001', /cursor/)
  }
})
