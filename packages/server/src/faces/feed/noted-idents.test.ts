import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bareFix } from '../../base/domain/position/fix.ts'
import { MAX_REFUSED_IDENTS, type RefusedIdent } from '../../base/domain/routing-rule.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { openRefusedIdents, openWaitingIdents } from './noted-idents.ts'

const packet = (ident: string, latitude = 1) => ({
  ident,
  fix: bareFix(1, 2, latitude, latitude),
  isLocalTime: false,
})

describe('Refused idents', () => {
  const written: [number, RefusedIdent[]][] = []
  let failure: Error | undefined
  const store = {
    async add(organization: number, idents: readonly RefusedIdent[]) {
      if (failure !== undefined) throw failure
      written.push([organization, [...idents]])
    },
    list: async () => [],
  }
  const noted = openRefusedIdents(store)

  it('are written once, counted by organization and ident, with the last packet', async () => {
    noted.note(1, 'unknown_ident', packet('a'))
    noted.note(2, 'unknown_ident', packet('a'))
    noted.note(1, 'limit_of_objects', packet('a', 0))
    await noted.write()
    await noted.write()
    const of = (more: Partial<RefusedIdent>) => ({ ident: 'a', lastAt: 2, ...more })
    assert.deepEqual(written.splice(0), [
      [1, [of({ reason: 'limit_of_objects', packets: 2, latitude: null, longitude: null })]],
      [2, [of({ reason: 'unknown_ident', packets: 1, latitude: 1, longitude: 1 })]],
    ])
  })

  it('are kept during an outage of the store, up to the size of a list', async () => {
    failure = new StoreUnavailable('away')
    noted.note(1, 'unknown_ident', packet('old'))
    noted.note(1, 'unknown_ident', packet('kept'))
    await noted.write()
    for (let i = 1; i < MAX_REFUSED_IDENTS; i++) noted.note(1, 'unknown_ident', packet(`bus ${i}`))
    noted.note(1, 'unknown_ident', packet('kept'))
    await noted.write()
    failure = undefined
    await noted.write()
    const [, idents] = written[0]!
    assert.deepEqual([written.length, idents.length], [1, MAX_REFUSED_IDENTS])
    assert.deepEqual([idents[0]!.ident, idents.at(-1)!.ident], ['bus 1', 'kept'])
    assert.equal(idents.at(-1)!.packets, 2)
  })
})

it('Matches of rules are written once, the last of each, also after an outage of the store', async () => {
  const written: [number, number][][] = []
  let failure: Error | undefined = new StoreUnavailable('away')
  const noted = openWaitingIdents({
    addWaiting: async () => {},
    async noteMatches(lastAt) {
      if (failure !== undefined) throw failure
      written.push([...lastAt])
    },
  })
  noted.matched(1, 10)
  noted.matched(2, 11)
  await noted.write()
  noted.matched(1, 12)
  failure = undefined
  await noted.write()
  await noted.write()
  assert.deepEqual(written, [
    [
      [1, 12],
      [2, 11],
    ],
  ])
})
