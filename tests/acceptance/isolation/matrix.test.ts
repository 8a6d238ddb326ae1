import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from '../harness/client.ts'
import { comparable } from '../harness/comparable.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { type FleetOrganization, startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { OPERATIONS, type Operation } from '../harness/operations.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet({ full: 2, plain: 78 })

/** The kinds of id that a caller may send, made from one object of its own and one of another organization. */
const KINDS: Record<string, (own: number, foreign: number) => string> = {
  own: (own) => `${own}`,
  "the other's": (_, foreign) => `${foreign}`,
  missing: () => '999999999',
  zero: () => '0',
  malformed: (_, foreign) => `${foreign}x`,
  'beyond 2^53': () => '9007199254740993',
  '2^64 and the own id': (own) => String(BigInt(own) + 2n ** 64n),
  "2^64 and the other's id": (_, foreign) => String(BigInt(foreign) + 2n ** 64n),
  '400 digits': () => '8'.repeat(400),
  'own with leading zeros': (own) => `0000${own}`,
  "the other's with leading zeros": (_, foreign) => `0000${foreign}`,
  'own, percent-encoded': (own) => encoded(own),
  "the other's, percent-encoded": (_, foreign) => encoded(foreign),
}
const OWN = ['own', 'own with leading zeros', 'own, percent-encoded']

/** The operations whose requests name an object. */
const OF_OBJECTS = OPERATIONS.filter(({ hasObject }) => hasObject)

function encoded(id: number): string {
  return [...String(id)].map((digit) => `%3${digit}`).join('')
}

/** Callers with room for all kinds, an object of theirs, and one that they must not see. */
type Trial = {
  title: string
  callers: FleetOrganization[]
  own: number
  foreign: number
  key: string
}

/** Each of two organizations requests the object of the other. */
function betweenOrganizations(operation: string): Trial[] {
  const [a, b, c, d] = [fleet.take(), fleet.take(), fleet.take(), fleet.take()]
  const trial = (callers: FleetOrganization[], other: FleetOrganization): Trial => ({
    title: `${operation} as ${callers[0]!.name}, beside ${other.name}`,
    ...{ callers, own: callers[0]!.objects.van, foreign: other.objects.van, key: other.key },
  })
  return [trial([a, c], b), trial([b, d], a)]
}

/** A key whose scope has one object of its organization requests another one. */
async function betweenScopes(operation: string): Promise<Trial> {
  const [a, b] = [fleet.take(), fleet.take()]
  const callers = await Promise.all(
    [a, b].map((each) => scoped(fleet, each, '--objects', `${each.objects.van}`)),
  )
  const [own, foreign] = [a.objects.van, a.objects.truck]
  return { title: `${operation} with a scope of one object`, callers, own, foreign, key: a.key }
}

async function askAll({ path: pathOf }: Operation, { callers, foreign }: Trial) {
  const answers: Record<string, { answer: Answer; caller: FleetOrganization }> = {}
  for (const [i, [kind, idOf]] of Object.entries(KINDS).entries()) {
    const caller = callers[i % callers.length]!
    const path = pathOf(caller, idOf(caller.objects.van, foreign))
    answers[kind] = { answer: await caller.get(path), caller }
  }
  return answers
}

const TRIALS: [operation: Operation, trial: Trial][] = []
for (const operation of OF_OBJECTS) {
  for (const trial of betweenOrganizations(operation.name)) TRIALS.push([operation, trial])
  TRIALS.push([operation, await betweenScopes(operation.name)])
}

for (const [operation, trial] of TRIALS) {
  describe(trial.title, async () => {
    const answers = await askAll(operation, trial)

    for (const [kind, { answer, caller }] of Object.entries(answers)) {
      it(`id ${kind}`, () => {
        assert.equal(answer.text.includes(trial.key), false)
        if (OWN.includes(kind)) {
          // The records of the object may be derived a moment later.
          for (const row of [resultOf(answer)].flat()) {
            assert.equal(row.object_id ?? row.id, caller.objects.van)
          }
        } else if (kind === 'malformed') {
          assertRefused(answer, 400, 'PUBLIC.400_001')
        } else {
          assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
        }
      })
    }

    it('answers alike to a foreign and a missing id', () => {
      const missing = comparable(answers.missing!.answer)
      for (const [kind, { answer }] of Object.entries(answers)) {
        if (OWN.includes(kind) || kind === 'malformed') continue
        assert.equal(comparable(answer), missing, kind)
      }
    })
  })
}

describe('Operations without an id', () => {
  const [a, b] = fleet.full as [FleetOrganization, FleetOrganization]
  for (const { name, path } of OPERATIONS.filter((each) => each.isCached && !each.hasObject)) {
    it(`return own data of each organization: ${name}`, async () => {
      const ids = async (organization: FleetOrganization): Promise<unknown[]> =>
        resultOf(await organization.get(path(organization))).map(
          (item: Json) => item.id ?? item.name,
        )
      const [own, others] = [await ids(a), await ids(b)]
      assert.ok(own.length > 0 && others.length > 0)
      assert.deepEqual(
        own.filter((id) => others.includes(id)),
        [],
      )
    })
  }
})

describe('GET /positions/latest with a foreign id among own ids', () => {
  it('answers as if the foreign object did not exist, and charges it nothing', async () => {
    const [a, b] = fleet.full as [FleetOrganization, FleetOrganization]
    await fleet.run('org', 'update', String(b.id), '--daily-quota', '3')
    const mixed = await a.get(`/positions/latest?ids=${b.objects.van},${a.objects.van}`)
    assert.deepEqual(
      resultOf(mixed).map((row: { id: number }) => row.id),
      [a.objects.van],
    )
    const own = await b.get(`/positions/latest?ids=${b.objects.van}`)
    assert.equal(own.headers['x-quota-remaining'], '2')
  })
})
