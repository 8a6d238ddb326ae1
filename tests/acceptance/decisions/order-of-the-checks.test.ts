import { before, describe, it } from 'node:test'
import { type Answer, request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { type Organization, PREFIX } from '../harness/organization.ts'

const fleet = await startFleet({ full: 0, plain: 6 })

/** The possible faults of one history request, in the order of the checks. */
const CHECKS = [
  { name: '404 unknown path', status: 404, code: 'ERR999' },
  { name: '405 method', status: 405, code: 'ERR999' },
  { name: '401 the key', status: 401, code: 'ERR999' },
  { name: '429 the rate window', status: 429, code: 'ERR999' },
  { name: '403 the subscription', status: 403, code: 'SUBSCRIPTION.403_002' },
  { name: '400 parameters', status: 400, code: 'PUBLIC.400_001' },
  { name: '404 the object', status: 404, code: 'PUBLIC.404_001' },
  { name: '400 the daily quota', status: 400, code: 'PUBLIC.400_005' },
] as const
const [PATH, METHOD, KEY, WINDOW, SUBSCRIPTION, PARAMETERS, OBJECT] = CHECKS

type Wrong = Set<(typeof CHECKS)[number]>

async function send(organization: Organization, wrong: Wrong): Promise<Answer> {
  const id = wrong.has(OBJECT) ? '999999999' : organization.objects.van
  const limit = wrong.has(PARAMETERS) ? '&limit=0' : ''
  const resource = wrong.has(PATH) ? 'position' : 'positions'
  return request(fleet.server.api, `${PREFIX}/objects/${id}/${resource}?${WHOLE_RANGE}${limit}`, {
    method: wrong.has(METHOD) ? 'POST' : 'GET',
    headers: { 'x-api-key': wrong.has(KEY) ? 'wrong' : organization.key },
  })
}

describe('Order of the checks', () => {
  // Every organization has used up its quota, so the last check fails in all requests.
  const active = [fleet.take(), fleet.take()]
  const [activeFull, suspended, suspendedFull] = [fleet.take(), fleet.take(), fleet.take()]

  before(async () => {
    for (const organization of [...active, activeFull, suspended, suspendedFull]) {
      const id = String(organization.id)
      await fleet.run('org', 'update', id, '--daily-quota', '1')
      resultOf(await organization.get(`/objects/${organization.objects.van}`))
      if (organization === suspended || organization === suspendedFull) {
        await fleet.run('org', 'update', id, '--subscription', 'suspended')
      }
    }
  })

  for (const [i, earlier] of CHECKS.entries()) {
    for (const later of CHECKS.slice(i + 1)) {
      it(`${earlier.name} comes before ${later.name}`, async () => {
        const wrong = new Set([earlier, later])
        const full = wrong.has(WINDOW)
        const choices = wrong.has(SUBSCRIPTION)
          ? [full ? suspendedFull : suspended]
          : full
            ? [activeFull]
            : active
        const organization = choices[later.name.length % choices.length]!
        if (full) {
          let last: Answer
          do last = await organization.get('/objects')
          while (last.status === 200)
        }
        assertRefused(await send(organization, wrong), earlier.status, earlier.code)
      })
    }
  }

  it('reaches the daily quota if all else is right', async () => {
    assertRefused(await send(active[0]!, new Set()), 400, 'PUBLIC.400_005')
  })

  it('requires no subscription for lists and detail', async () => {
    resultOf(await suspended.get('/objects'))
  })
})
