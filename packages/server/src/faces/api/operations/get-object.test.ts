import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OBJECT_DEFAULTS } from '../../../base/domain/monitored-object.ts'
import { UNSEEN } from '../../../base/domain/position/object-state.ts'
import { objectStates } from '../../../data/cache/fleet-objects.ts'
import type { Call, Prepared } from '../../../read/call.ts'
import type { KeyedOperation } from '../operation.ts'
import { getObject } from './get-object.ts'

const notCharged = () => Promise.reject(new Error('a detail is charged before it is read'))

test('the detail of an object is made once for each state', async () => {
  const named = { id: 7, organization: 1, name: 'Van', ident: '1', createdAt: 0, updatedAt: 0 }
  const own = { object: { ...OBJECT_DEFAULTS, ...named }, existing: undefined }
  const { join } = objectStates({} as never, {} as never, 1)
  const fleet = { objects: () => new Map([[7, own]]), states: { join } }
  const asked = { id: '7', query: new Map() }
  const call = { fleet, ...asked, organization: { distanceUnit: 'km' } } as unknown as Call
  const detailIn = async (state: typeof UNSEEN) => {
    const prepared = (await (getObject as KeyedOperation).prepare(call)) as Prepared
    return prepared.answer({ kept: [state], version: null }, notCharged, {} as never)
  }
  const first = await detailIn(UNSEEN)
  assert.equal(await detailIn(UNSEEN), first)
  assert.notEqual(await detailIn({ ...UNSEEN }), first)
})
